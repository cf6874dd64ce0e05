//! Files on disk: the library, and bundles with their `design.toml`.
//!
//! Every file is written under a temporary name in the folder itself, synced, and renamed when all are
//! complete. `design.toml` is removed first and comes back last, so a folder that has one has all the
//! files that it names, whole and of one generation.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::GzBuilder;

use crate::design::{GeneratedDesign, generate};
use crate::error::Error;
use crate::model::Corner;
use crate::spec::{Compression, Spec};
use crate::{lef, liberty, tech};

/// File name of the technology LEF.
pub const TECH_LEF: &str = "cw45.tech.lef";
/// File name of the cell LEF.
pub const CELLS_LEF: &str = "cw45.cells.lef";

/// File name of a corner's Liberty.
pub fn liberty_file(corner: Corner) -> String {
    format!("{}_{}.lib", tech::NAME, corner.name())
}

/// Writes both LEF files and the Liberty of all three corners into `dir`, made if missing.
///
/// # Errors
/// [`Error::Io`] names the file.
pub fn write_library(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut stage = Staging::new(dir)?;
    library_files(&mut stage, &Corner::ALL)?;
    stage.publish(None)
}

/// Generates `spec` and writes its bundle into `dir`, made if missing; returns the path of
/// `design.toml`.
///
/// Files of an earlier bundle with the same names are replaced; other files are left alone.
///
/// # Errors
/// Those of [`generate`], and [`Error::Io`] with the file; then `dir` holds no half-written file.
pub fn write_bundle(dir: &Path, spec: &Spec) -> Result<PathBuf, Error> {
    write_design(dir, &generate(spec)?)
}

/// Writes the bundle of a design that is already generated; see [`write_bundle`].
///
/// # Errors
/// [`Error::Io`] with the file.
pub fn write_design(dir: &Path, design: &GeneratedDesign) -> Result<PathBuf, Error> {
    let spec = &design.spec;
    let mut stage = Staging::new(dir)?;
    library_files(&mut stage, &spec.corners)?;
    let suffix = match spec.compression {
        Compression::None => "",
        Compression::Gzip => ".gz",
    };
    let verilog = format!("{}.v{suffix}", spec.name);
    let def = format!("{}.def{suffix}", spec.name);
    let sdc = format!("{}.sdc", spec.name);
    stage.file(&verilog, |out| design.write_verilog(out))?;
    stage.file(&def, |out| design.write_def(out))?;
    stage.file(&sdc, |out| design.write_sdc(out))?;
    stage.file(TOML, |out| write_toml(out, design, [&verilog, &def, &sdc]))?;
    stage.publish(Some(TOML))?;
    Ok(dir.join(TOML))
}

const TOML: &str = "design.toml";

fn library_files(stage: &mut Staging, corners: &[Corner]) -> Result<(), Error> {
    stage.file(TECH_LEF, lef::write_tech)?;
    stage.file(CELLS_LEF, lef::write_cells)?;
    for corner in corners {
        stage.file(&liberty_file(*corner), |out| liberty::write(out, *corner))?;
    }
    Ok(())
}

fn write_toml(
    out: &mut dyn Write,
    design: &GeneratedDesign,
    [verilog, def, sdc]: [&str; 3],
) -> io::Result<()> {
    let spec = &design.spec;
    writeln!(out, "# Generated: {} cells asked, seed {}.", spec.cells, spec.seed)?;
    writeln!(out, "name = \"{}\"", spec.name)?;
    writeln!(out, "tech = \"{}\"", tech::NAME)?;
    writeln!(out, "top = \"{}\"", spec.name)?;
    writeln!(out, "lef = [\"{TECH_LEF}\", \"{CELLS_LEF}\"]")?;
    writeln!(out, "verilog = [\"{verilog}\"]")?;
    writeln!(out, "def = \"{def}\"")?;
    writeln!(out, "sdc = [\"{sdc}\"]")?;
    for corner in &spec.corners {
        writeln!(out, "\n[[corner]]")?;
        writeln!(out, "name = \"{}\"", corner.name())?;
        writeln!(out, "liberty = [\"{}\"]", liberty_file(*corner))?;
    }
    writeln!(out, "\n[wire] # kΩ/µm and pF/µm")?;
    for (name, wire) in [("signal", tech::signal_wire()), ("clock", tech::clock_wire())] {
        writeln!(out, "{name} = {{ r = {}, c = {} }}", wire.r, wire.c)?;
    }
    Ok(())
}

/// Files under temporary names, removed when dropped before [`Staging::publish`].
struct Staging {
    dir: PathBuf,
    /// Temporary and final path.
    files: Vec<(PathBuf, PathBuf)>,
}

/// Tells apart the temporary files of several writers in one process.
static COUNTER: AtomicU64 = AtomicU64::new(0);

impl Staging {
    fn new(dir: &Path) -> Result<Self, Error> {
        fs::create_dir_all(dir).map_err(Error::io(dir))?;
        Ok(Self { dir: dir.to_path_buf(), files: Vec::new() })
    }

    /// Writes one file; a name that ends in `.gz` is compressed.
    fn file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Buffered) -> io::Result<()>,
    ) -> Result<(), Error> {
        let path = self.dir.join(name);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = self.dir.join(format!(".{name}.{}-{number}.tmp", std::process::id()));
        let file = File::create_new(&temporary).map_err(Error::io(&temporary))?;
        self.files.push((temporary, path.clone()));
        let result = (|| {
            let inner: Box<dyn Finish> = if name.ends_with(".gz") {
                // No time and no name in the header: the same text gives the same bytes.
                Box::new(GzBuilder::new().write(file, flate2::Compression::fast()))
            } else {
                Box::new(file)
            };
            let mut out = BufWriter::with_capacity(1 << 16, inner);
            write(&mut out)?;
            out.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
        })();
        result.map_err(Error::io(path))
    }

    /// Renames every file to its own name; `last` is removed first and comes last.
    fn publish(mut self, last: Option<&str>) -> Result<Vec<PathBuf>, Error> {
        if let Some(name) = last {
            let path = self.dir.join(name);
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::io(path)(e)),
                _ => {}
            }
        }
        // The files were staged in the order in which they are to appear. On an error, dropping `self`
        // removes those that still have their temporary name.
        for (temporary, path) in &self.files {
            fs::rename(temporary, path).map_err(Error::io(path))?;
        }
        Ok(std::mem::take(&mut self.files).into_iter().map(|(_, path)| path).collect())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            // Nothing can be done about a temporary file that will not go.
            let _ = fs::remove_file(temporary);
        }
    }
}

type Buffered = BufWriter<Box<dyn Finish>>;

/// A sink that must be closed with care.
trait Finish: Write {
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl Finish for File {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.sync_all()
    }
}

impl Finish for flate2::write::GzEncoder<File> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        flate2::write::GzEncoder::finish(*self)?.sync_all()
    }
}

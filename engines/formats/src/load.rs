//! Loads everything that a bundle names and links it to a snapshot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_db::floorplan::Floorplan;
use cellwright_db::timing::{Corner, TimingLib, TimingRef};
use cellwright_db::{
    Design, DesignBuilder, IdVec, Library, Master, MasterId, Snapshot, Technology,
};
use hashbrown::HashMap;
use sha2::Digest as _;

use crate::bundle::{Bundle, CornerFiles};
use crate::constraints::Constraints;
use crate::def::{self, DefFile};
use crate::lef;
use crate::liberty;
use crate::link;
use crate::parasitics::RcNet;
use crate::sdc;
use crate::spef::{self, AnnotationReport};
use crate::text::{FormatError, Problems, Severity, Source, open};
use crate::verilog::{self, FlatNetlist, LibraryMasters};

/// What a file of a bundle is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// The `design.toml` itself.
    Bundle,
    /// LEF.
    Lef,
    /// Liberty.
    Liberty,
    /// Verilog.
    Verilog,
    /// DEF.
    Def,
    /// SDC.
    Sdc,
    /// SPEF.
    Spef,
}

/// One file that was read, with the identity of its unpacked content.
#[derive(Debug, Clone)]
pub struct FileRead {
    /// What it is for.
    pub role: FileRole,
    /// Path as the bundle names it.
    pub path: PathBuf,
    /// BLAKE3 of the unpacked text.
    pub digest: [u8; 32],
    /// SHA-256 of the unpacked text.
    pub sha256: [u8; 32],
    /// Unpacked length, bytes.
    pub bytes: u64,
}

/// A design with everything that was read for it.
#[derive(Debug)]
pub struct Loaded {
    /// The bundle.
    pub bundle: Bundle,
    /// The design as read.
    pub snapshot: Snapshot,
    /// The files.
    pub files: Vec<FileRead>,
    /// What the readers noticed.
    pub problems: Problems,
}

fn parallel<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    use std::sync::Mutex;
    let slots: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let queue = Mutex::new(items.into_iter().enumerate().collect::<Vec<_>>());
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(slots.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().ok().and_then(|mut queue| queue.pop());
                    let Some((index, item)) = next else { break };
                    let result = work(item);
                    if let Ok(mut slot) = slots[index].lock() {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}

/// Reads a bundle's files and links them.
///
/// # Errors
/// The first file that cannot be opened or read at all; whatever is less grave is in
/// [`Loaded::problems`].
pub fn load(bundle: Bundle) -> Result<Loaded, FormatError> {
    let mut problems = Problems::new();
    let mut files = Vec::new();
    if !bundle.file.as_os_str().is_empty() {
        let toml = open(&bundle.file)?;
        note(&mut files, FileRole::Bundle, &bundle.file, &toml);
    }

    let lef_sources = open_all(&bundle, &bundle.lef, FileRole::Lef, &mut files)?;
    let def_source = match &bundle.def {
        Some(path) => {
            open_all(&bundle, std::slice::from_ref(path), FileRole::Def, &mut files)?.pop()
        }
        None => None,
    };
    let verilog_sources = open_all(&bundle, &bundle.verilog, FileRole::Verilog, &mut files)?;
    let (library_order, libraries) = read_libraries(&bundle, &mut files, &mut problems)?;

    let mut lefs = Vec::new();
    for source in &lef_sources {
        lefs.push((source, lef::parse(source, &mut problems)?));
    }
    let def_file = match &def_source {
        Some(source) => Some((source, def::parse(source, &mut problems)?)),
        None => None,
    };
    let dbu = def_file.as_ref().and_then(|(_, file)| i32::try_from(file.dbu_per_micron()).ok());
    let link::tech::LefTech { tech, macros } =
        link::tech::link(&bundle.tech, &lefs, dbu, &mut problems);
    drop(lefs);
    let parsed: Vec<&liberty::Library> = libraries.iter().map(|(library, _)| library).collect();
    let mut masters = link::masters::link(macros, &parsed);

    let netlist = if verilog_sources.is_empty() {
        None
    } else {
        Some(elaborate(&bundle, &verilog_sources, &libraries, &masters, &mut problems)?)
    };
    drop(parsed);
    if let Some(netlist) = &netlist {
        link::netlist::black_boxes(netlist, &mut masters);
    }
    for path in &bundle.sdc {
        note(&mut files, FileRole::Sdc, path, &open(bundle.path(path))?);
    }
    for path in bundle.corner.iter().flat_map(CornerFiles::spefs).map(|(path, _)| path) {
        if !files.iter().any(|file| file.role == FileRole::Spef && file.path == path) {
            note(&mut files, FileRole::Spef, path, &open(bundle.path(path))?);
        }
    }
    let library = link_libraries(&bundle, masters, &library_order, libraries, &tech, &mut problems);
    let builder = DesignBuilder::new(&bundle.name, Arc::new(tech), Arc::new(library));
    let snapshot = assemble(builder, netlist, &verilog_sources, def_file, &mut problems);
    Ok(Loaded { bundle, snapshot, files, problems })
}

/// Reads the bundle's SDC files against the design.
fn read_constraints(
    loaded: &Loaded,
    design: &Design,
) -> Result<Result<(Constraints, Problems), Problems>, FormatError> {
    let mut sources = Vec::new();
    for path in &loaded.bundle.sdc {
        sources.push(open(loaded.bundle.path(path))?);
    }
    let units = sdc::library_units(design);
    Ok(sdc::read_sdc(design, units, &sources))
}

/// The bundle's constraints on its design.
///
/// # Errors
/// [`FormatError`] with every error that the SDC files have.
pub fn constraints(loaded: &Loaded, design: &Design) -> Result<Constraints, FormatError> {
    read_constraints(loaded, design)?.map(|(constraints, _)| constraints).map_err(|problems| {
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        let list: Vec<String> = errors.map(ToString::to_string).collect();
        let file = loaded.bundle.sdc.first().map_or_else(String::new, |p| p.display().to_string());
        FormatError::whole_file(
            file,
            format!("constraints cannot be used:\n{}", list.join("\n")),
            "",
        )
    })
}

/// The RC networks of the SPEF files of a corner, how well they fit the design, and what reading
/// them noticed.
///
/// # Errors
/// [`FormatError`] when a file cannot be read.
pub fn parasitics(
    loaded: &Loaded,
    design: &Design,
    corner: &CornerFiles,
) -> Result<(Vec<RcNet>, AnnotationReport, Problems), FormatError> {
    let mut problems = Problems::new();
    let mut sources: Vec<(&Path, Source)> = Vec::new();
    for (path, _) in corner.spefs() {
        if !sources.iter().any(|(known, _)| *known == path) {
            sources.push((path, open(loaded.bundle.path(path))?));
        }
    }
    let of = |path: &Path| sources.iter().find(|(known, _)| *known == path).map(|(_, s)| s);
    let files: Vec<(&Source, &str)> =
        corner.spefs().filter_map(|(path, instance)| Some((of(path)?, instance))).collect();
    let (nets, report) = spef::read_spef(design, &files, spef::Triplet::default(), &mut problems)?;
    Ok((nets, report, problems))
}

/// The files that [`load`] reads for a bundle, in its order, opened and digested but not parsed.
///
/// # Errors
/// The first file that cannot be opened.
pub fn files_of(bundle: &Bundle) -> Result<Vec<FileRead>, FormatError> {
    let mut files = Vec::new();
    if !bundle.file.as_os_str().is_empty() {
        note(&mut files, FileRole::Bundle, &bundle.file, &open(&bundle.file)?);
    }
    open_all(bundle, &bundle.lef, FileRole::Lef, &mut files)?;
    if let Some(path) = &bundle.def {
        open_all(bundle, std::slice::from_ref(path), FileRole::Def, &mut files)?;
    }
    open_all(bundle, &bundle.verilog, FileRole::Verilog, &mut files)?;
    open_all(bundle, &libraries_of(bundle), FileRole::Liberty, &mut files)?;
    open_all(bundle, &bundle.sdc, FileRole::Sdc, &mut files)?;
    let mut spefs: Vec<PathBuf> = Vec::new();
    for (path, _) in bundle.corner.iter().flat_map(CornerFiles::spefs) {
        if !spefs.iter().any(|other| other == path) {
            spefs.push(path.to_owned());
        }
    }
    open_all(bundle, &spefs, FileRole::Spef, &mut files)?;
    Ok(files)
}

/// Each Liberty file of a bundle once, in the order of its corners.
fn libraries_of(bundle: &Bundle) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for corner in &bundle.corner {
        for path in corner.liberty.iter().chain(&corner.liberty_early).chain(&corner.liberty_late) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
    }
    paths
}

/// What reading the bundle's constraints notices, errors included.
pub fn constraint_problems(loaded: &Loaded, design: &Design) -> Problems {
    match read_constraints(loaded, design) {
        Ok(Ok((_, problems)) | Err(problems)) => problems,
        Err(error) => {
            let mut problems = Problems::new();
            problems.push(crate::text::Problem {
                severity: Severity::Error,
                file: error.file.clone(),
                line: error.line,
                code: "sdc-unreadable",
                message: error.message,
            });
            problems
        }
    }
}

fn assemble(
    mut builder: DesignBuilder,
    netlist: Option<FlatNetlist>,
    verilog_sources: &[Source],
    def_file: Option<(&Source, DefFile<'_>)>,
    problems: &mut Problems,
) -> Snapshot {
    if let Some(netlist) = &netlist {
        let file = verilog_sources.first().map_or("", |source| source.name());
        link::netlist::link(file, netlist, &mut builder, problems);
    }
    if let Some((source, _)) = &def_file {
        no_geometry(source, &builder, problems);
    }
    let floorplan = match &def_file {
        Some((source, file)) => {
            if netlist.is_none() {
                link::floorplan::link_netlist(source, file, &mut builder, problems);
            }
            link::floorplan::link(source, file, &mut builder, problems)
        }
        None => Floorplan::default(),
    };
    builder.finish(floorplan)
}

/// Tells which masters in use no LEF file describes: their cells cannot be placed.
fn no_geometry(source: &Source, builder: &DesignBuilder, problems: &mut Problems) {
    let library = builder.library();
    let mut used = vec![0_usize; library.masters.len()];
    for cell in 0..builder.cells_len() {
        used[builder.master(cellwright_db::CellId::new(cell)).index()] += 1;
    }
    for (id, master) in library.masters.iter() {
        if used[id.index()] > 0 && !master.has_geometry {
            problems.report(Severity::Error, "link-no-geometry", source, 0, || {
                format!(
                    "{} cells are of `{}`, which no LEF file describes",
                    used[id.index()],
                    master.name
                )
            });
        }
    }
}

fn note(files: &mut Vec<FileRead>, role: FileRole, path: &Path, source: &Source) {
    files.push(FileRead {
        role,
        path: path.to_owned(),
        digest: *blake3::hash(source.bytes()).as_bytes(),
        sha256: sha2::Sha256::digest(source.bytes()).into(),
        bytes: source.bytes().len() as u64,
    });
}

fn open_all(
    bundle: &Bundle,
    paths: &[PathBuf],
    role: FileRole,
    files: &mut Vec<FileRead>,
) -> Result<Vec<Source>, FormatError> {
    let opened = parallel(paths.iter().collect(), |path: &PathBuf| open(bundle.path(path)));
    let sources: Vec<Source> = opened.into_iter().collect::<Result<_, _>>()?;
    for (path, source) in paths.iter().zip(&sources) {
        note(files, role, path, source);
    }
    Ok(sources)
}

/// Liberty files, each read once although several corners may name it. The first list gives the
/// number of each path.
type Libraries = (Vec<PathBuf>, Vec<(liberty::Library, [u8; 32])>);

fn read_libraries(
    bundle: &Bundle,
    files: &mut Vec<FileRead>,
    problems: &mut Problems,
) -> Result<Libraries, FormatError> {
    let paths = libraries_of(bundle);
    let read = parallel(paths.iter().collect(), |path: &PathBuf| {
        let source = open(bundle.path(path))?;
        let mut problems = Problems::new();
        let library = liberty::read(&source, &mut problems)?;
        let mut noted = Vec::new();
        note(&mut noted, FileRole::Liberty, path, &source);
        Ok((library, noted, problems))
    });
    let mut libraries = Vec::new();
    for result in read {
        let (library, mut noted, found) = result?;
        problems.merge(found);
        let digest = noted.first().map_or([0; 32], |file: &FileRead| file.digest);
        files.append(&mut noted);
        libraries.push((library, digest));
    }
    Ok((paths, libraries))
}

fn by_name(masters: &IdVec<MasterId, Master>) -> HashMap<&str, MasterId> {
    masters.iter().map(|(id, master)| (master.name.as_str(), id)).collect()
}

fn elaborate(
    bundle: &Bundle,
    sources: &[Source],
    libraries: &[(liberty::Library, [u8; 32])],
    masters: &IdVec<MasterId, Master>,
    problems: &mut Problems,
) -> Result<FlatNetlist, FormatError> {
    let mut design = verilog::Design::new();
    for source in sources {
        design.read(source, problems)?;
    }
    let names = by_name(masters);
    let leaves = link::netlist::Leaves {
        libraries: LibraryMasters::new(libraries.iter().map(|(library, _)| library)),
        masters,
        by_name: &names,
    };
    verilog::elaborate(bundle.top(), &design, &leaves, problems)
}

fn link_libraries(
    bundle: &Bundle,
    masters: IdVec<MasterId, Master>,
    order: &[PathBuf],
    libraries: Vec<(liberty::Library, [u8; 32])>,
    tech: &Technology,
    problems: &mut Problems,
) -> Library {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&tech.digest);
    let names = by_name(&masters);
    let linked: Vec<TimingLib> = parallel(libraries, |(library, digest)| {
        link::timing::link(&library, digest, &masters, &names)
    });
    for lib in &linked {
        hasher.update(&lib.digest);
    }
    drop(names);
    let number = |path: &PathBuf| order.iter().position(|other| other == path).unwrap_or(0) as u32;
    let mut corners = Vec::new();
    for files in &bundle.corner {
        hasher.update(files.name.as_bytes());
        let list =
            |own: &[PathBuf]| -> Vec<u32> { files.liberty.iter().chain(own).map(number).collect() };
        let (early_libs, late_libs) = (list(&files.liberty_early), list(&files.liberty_late));
        let corner = Corner {
            name: files.name.clone(),
            early: views(&masters, &linked, &early_libs),
            late: views(&masters, &linked, &late_libs),
            early_libs,
            late_libs,
        };
        for lib in corner.early_libs.iter().chain(&corner.late_libs) {
            hasher.update(&lib.to_le_bytes());
        }
        corners.push(corner);
    }
    if bundle.corner.is_empty() {
        problems.push(crate::text::Problem {
            severity: Severity::Info,
            file: bundle.file.display().to_string(),
            line: 0,
            code: "bundle-no-corner",
            message: "no corner with Liberty files; there will be no timing and no resizing"
                .to_owned(),
        });
    }
    Library::new(masters, linked, corners, *hasher.finalize().as_bytes())
}

/// Which cell serves each master: of several libraries the first that has it.
fn views(masters: &IdVec<MasterId, Master>, linked: &[TimingLib], libs: &[u32]) -> Vec<TimingRef> {
    let mut view: Vec<TimingRef> = vec![None; masters.len()];
    for &lib in libs {
        let Some(cells) = linked.get(lib as usize).map(|lib| &lib.cells) else { continue };
        for (number, cell) in cells.iter().enumerate() {
            view[cell.master.index()].get_or_insert((lib, number as u32));
        }
    }
    view
}

//! `cellwright convert`: macro placement cases from one format to another.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cellwright_db::Design;
use cellwright_formats::bookshelf::{read_bookshelf, write_bookshelf};
use cellwright_formats::ct::{
    of_design, place_design, read_placement, write_lefdef, write_netlist, write_placement,
};
use cellwright_formats::load::Loaded;
use cellwright_formats::save::write_def;
use cellwright_formats::text::{Problems, Severity, open};
use cellwright_macros::netlist::{Kind, Placement};
use clap::Args;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::flat_macros::complete;
use crate::macro_case::{MacroCase, read};
use crate::setup::loaded;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("from").required(true).args(["netlist", "bookshelf", "design"])))]
pub(crate) struct Arguments {
    /// From Circuit Training: the netlist, plain, gzip or xz.
    #[arg(long)]
    netlist: Option<PathBuf>,
    /// The placement of `--netlist`, or of what `--design` was converted to.
    #[arg(long, conflicts_with = "bookshelf")]
    plc: Option<PathBuf>,
    /// From Bookshelf: the .aux file.
    #[arg(long)]
    bookshelf: Option<PathBuf>,
    /// From LEF/DEF: a design.toml, or the folder that holds one.
    #[arg(long)]
    design: Option<PathBuf>,
    /// To Circuit Training: the netlist.
    #[arg(long)]
    out_netlist: Option<PathBuf>,
    /// To Circuit Training: the placement.
    #[arg(long)]
    out_plc: Option<PathBuf>,
    /// To Bookshelf: PREFIX.aux, .nodes, .nets, .wts, .pl and .scl.
    #[arg(long, value_name = "PREFIX")]
    out_bookshelf: Option<PathBuf>,
    /// To LEF/DEF: PREFIX.lef and PREFIX.def, as `place --lef … --def …` reads them.
    #[arg(long, value_name = "PREFIX")]
    out_lefdef: Option<PathBuf>,
    /// With `--design` and `--plc`: the design's own DEF with the places of the .plc file.
    #[arg(long, requires_all = ["design", "plc"])]
    out_def: Option<PathBuf>,
    /// Row height for Bookshelf, and for LEF/DEF without cells, µm.
    #[arg(long, default_value_t = 1.4)]
    row_height: f64,
    /// Site width for Bookshelf, µm.
    #[arg(long, default_value_t = 1.0)]
    site_width: f64,
    /// Holds hard macros where they stand, so that a placer of cells places the cells among them.
    #[arg(long)]
    fix_macros: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if !(arguments.row_height > 0.0 && arguments.row_height < 1e6) {
        return Err(Failure::input("give a row height in µm"));
    }
    if !(arguments.site_width > 1e-6 && arguments.site_width < 1e6) {
        return Err(Failure::input("give a site width in µm"));
    }
    let (mut case, of) = from(arguments)?;
    if arguments.fix_macros {
        for (item, spot) in case.netlist.items.iter().zip(&mut case.placement.spots) {
            if let (Kind::Hard, Some(spot)) = (item.kind, spot) {
                spot.fixed = true;
            }
        }
    }
    let (netlist, placement) = (&case.netlist, &case.placement);
    for problem in case.problems.iter() {
        say!("{problem}");
    }
    crate::macro_case::say_what_it_holds(&case);
    if let Some(path) = &arguments.out_netlist {
        std::fs::write(path, write_netlist(netlist))?;
        say!("wrote {}", path.display());
    }
    if let Some(path) = &arguments.out_plc {
        std::fs::write(path, write_placement(netlist, placement, &[]))?;
        say!("wrote {}", path.display());
    }
    if let Some(prefix) = &arguments.out_bookshelf {
        bookshelf(prefix, (arguments.site_width, arguments.row_height), &case)?;
    }
    if let Some(prefix) = &arguments.out_lefdef {
        let name = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (row, fix) = (arguments.row_height, arguments.fix_macros);
        let texts = write_lefdef(netlist, placement, &name, row, fix);
        for (end, text) in [("lef", &texts.lef), ("def", &texts.def)] {
            let mut name = prefix.as_os_str().to_owned();
            name.push(format!(".{end}"));
            std::fs::write(&name, text)?;
            say!("wrote {}", Path::new(&name).display());
        }
    }
    if let (Some(path), Some(loaded)) = (&arguments.out_def, &of) {
        let mut design = Design::new(&loaded.snapshot);
        let moved = place_design(&mut design, netlist, placement)?;
        write_def(loaded, &design, path)?;
        say!("wrote {}, {moved} cells moved", path.display());
    }
    Ok(ExitCode::from(u8::from(case.problems.total(Severity::Error) > 0)))
}

/// The case, and the design that it was made of, if it was.
fn from(arguments: &Arguments) -> Result<(MacroCase, Option<Loaded>), Failure> {
    if let Some(netlist) = &arguments.netlist {
        return Ok((read(netlist, arguments.plc.as_ref(), &mut Answer::new("cw.convert"))?, None));
    }
    let mut problems = Problems::new();
    let mut of = None;
    let (netlist, mut placement) = match (&arguments.bookshelf, &arguments.design) {
        (Some(aux), _) => read_bookshelf(aux, &mut problems)?,
        (None, Some(design)) => {
            let loaded = loaded(design)?;
            let case = of_design(&Design::new(&loaded.snapshot));
            of = Some(loaded);
            case
        }
        (None, None) => return Err(Failure::input("name what to convert")),
    };
    if let Some(plc) = &arguments.plc {
        placement = read_placement(&open(plc)?, &netlist, &mut problems)?;
    } else {
        // Neither format has a grid or routes; without them there is no proxy cost.
        complete(&mut placement.settings, false);
    }
    Ok((MacroCase { netlist, placement, problems }, of))
}

fn bookshelf(prefix: &Path, site: (f64, f64), case: &MacroCase) -> Result<(), Failure> {
    let stem = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let placement: &Placement = &case.placement;
    let text = write_bookshelf(&case.netlist, placement, &stem, site);
    for (end, text) in [
        ("aux", &text.aux),
        ("nodes", &text.nodes),
        ("nets", &text.nets),
        ("wts", &text.wts),
        ("pl", &text.pl),
        ("scl", &text.scl),
    ] {
        let mut name = prefix.as_os_str().to_owned();
        name.push(format!(".{end}"));
        std::fs::write(&name, text)?;
        say!("wrote {}", Path::new(&name).display());
    }
    Ok(())
}

//! Writes a bundle: `bundle DIR PRESET`, or every golden design with its SPEF: `bundle DIR --goldens`.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use cellwright_designs::goldens::goldens;
use cellwright_designs::{Spec, digest, generate, write_bundle, write_design};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, what] = args.as_slice() else {
        return Err("usage: bundle DIR PRESET | bundle DIR --goldens".into());
    };
    let mut out = std::io::stdout().lock();
    if what != "--goldens" {
        writeln!(out, "{}", write_bundle(Path::new(dir), &Spec::preset(what)?)?.display())?;
        return Ok(());
    }
    for golden in goldens() {
        let dir = Path::new(dir).join(golden.name);
        let design = generate(&golden.spec)?;
        let toml = write_design(&dir, &design)?;
        if golden.spef {
            let path = dir.join(format!("{}.spef", golden.name));
            let mut file = BufWriter::new(File::create(path)?);
            design.write_spef(&mut file)?;
            file.flush()?;
        }
        // One line for each file and digest, for the script that stores the goldens.
        for (kind, hash) in [
            ("verilog", digest(|h| design.write_verilog(h))?),
            ("sdc", digest(|h| design.write_sdc(h))?),
            ("spef", digest(|h| design.write_spef(h))?),
            ("liberty", digest(|h| cellwright_designs::liberty::write(h, golden.spec.corners[0]))?),
        ] {
            if kind != "spef" || golden.spef {
                writeln!(out, "{} {kind} {hash}", golden.name)?;
            }
        }
        writeln!(out, "{} cells {}", golden.name, design.netlist.cell_count())?;
        writeln!(out, "{} bundle {}", golden.name, toml.display())?;
    }
    Ok(())
}

//! The designs whose timing by a reference timer is stored under `designs/goldens`.

use crate::spec::{ClockStyle, Constants, Hierarchy, Kind, Mix, Spec};

/// A golden design.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Name of the JSON file, without its ending.
    pub name: &'static str,
    /// The design.
    pub spec: Spec,
    /// Timed with [`crate::spef`]'s parasitics; without, wires have none.
    pub spef: bool,
}

/// All golden designs.
pub fn goldens() -> Vec<Golden> {
    let golden = |name, spef, spec: Spec| Golden {
        name,
        spec: Spec { name: String::from(name), ..spec },
        spef,
    };
    let base = |cells, seed| Spec::new("golden", cells, seed);
    // The presets by value, so that a preset may change without the goldens.
    vec![
        golden("g300", false, Spec { mix: Mix::SMALL, ..base(300, 1) }),
        golden("g3k", false, Spec { mix: Mix::DATAPATH, ..base(3000, 2) }),
        golden("g3k_spef", true, Spec { mix: Mix::DATAPATH, ..base(3000, 2) }),
        golden("g20k_mesh", false, Spec { mix: Mix::only(Kind::Mesh), ..base(20_000, 3) }),
        golden(
            "g1k_modules",
            true,
            Spec {
                mix: Mix::DATAPATH,
                hierarchy: Hierarchy::Modules,
                constants: Constants::Literal,
                ..base(1000, 4)
            },
        ),
        golden(
            "g1k_gated",
            true,
            Spec {
                mix: Mix { register_file: 0.6, ..Mix::DATAPATH },
                gated_clocks: true,
                constants: Constants::Tied,
                ..base(1200, 5)
            },
        ),
        golden("g1k_tree", true, Spec { clock: ClockStyle::Tree, ..base(1000, 6) }),
    ]
}

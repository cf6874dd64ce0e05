//! Groups hold all cells, keep the nets between them, and carry back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::sync::Arc;

use cellwright_macros::netlist::Item;
use cellwright_macros::{
    ClusterConfig, Engine, Kind, Model, Netlist, Options, Placement, Settings, carry_back, cluster,
    global,
};
use proptest::prelude::*;

/// Modules of cells: chains inside, few nets between, one hard macro and one port each.
fn flat(modules: usize, each: usize) -> Netlist {
    let mut netlist = Netlist { outline: Some((300.0, 200.0)), ..Netlist::default() };
    let mut add = |item: Item| {
        let index = netlist.items.len() as u32;
        netlist.items.push(item);
        netlist.items[index as usize].owner = index;
        index
    };
    let mut firsts = Vec::new();
    for m in 0..modules {
        let mut port = Item::new(format!("p{m}"), Kind::Port, 0);
        port.at = Some((m as f64, 0.0));
        let port = add(port);
        let mut ram = Item::new(format!("ram{m}"), Kind::Hard, 0);
        (ram.width, ram.height, ram.at) = (20.0, 30.0, Some((20.0 + 40.0 * m as f64, 100.0)));
        let ram = add(ram);
        let pin = add(Item::new(format!("ram{m}/q"), Kind::HardPin, 0));
        let cells: Vec<u32> = (0..each)
            .map(|n| {
                let mut cell = Item::new(format!("m{m}/c{n}"), Kind::Cell, 0);
                (cell.width, cell.height) = (0.4 + 0.1 * (n % 5) as f64, 1.4);
                cell.at = Some((m as f64 * 10.0, n as f64));
                add(cell)
            })
            .collect();
        firsts.push((port, ram, pin, cells));
    }
    for (m, (port, ram, pin, cells)) in firsts.iter().enumerate() {
        netlist.items[*pin as usize].owner = *ram;
        netlist.items[*pin as usize].sinks = vec![cells[0]];
        netlist.items[*port as usize].sinks = vec![cells[1]];
        for (n, &cell) in cells.iter().enumerate() {
            let mut sinks = vec![cells[(n + 1) % cells.len()], cells[(n + 7) % cells.len()]];
            if n % 20 == 0 {
                sinks.push(firsts[(m + 1) % firsts.len()].3[n]);
            }
            netlist.items[cell as usize].sinks = sinks;
        }
    }
    netlist
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn groups_hold_everything(modules in 2usize..6, each in 20usize..80, groups in 1usize..40, seed in any::<u64>()) {
        let flat = flat(modules, each);
        let config = ClusterConfig { groups, seed, ..ClusterConfig::default() };
        let done = cluster(&flat, &config);
        let softs: BTreeSet<u32> = done.netlist.of(Kind::Soft).collect();
        prop_assert!(softs.len() <= groups.max(1));
        prop_assert_eq!(done.netlist.count(Kind::Hard), modules);
        prop_assert!((done.netlist.area() - flat.area()).abs() < 1e-6 * flat.area());
        for (i, item) in flat.items.iter().enumerate() {
            let to = done.item_of[i];
            if item.kind == Kind::Cell {
                prop_assert!(softs.contains(&to));
            } else {
                prop_assert_eq!(&done.netlist.items[to as usize].name, &item.name);
            }
        }
        // Every net between groups is there, with its weight.
        let mut cut = 0.0;
        for (i, item) in flat.items.iter().enumerate() {
            let own = done.item_of[i];
            let leaves = item.sinks.iter().any(|s| done.item_of[*s as usize] != own);
            cut += if leaves { 1.0 } else { 0.0 };
        }
        prop_assert_eq!(done.netlist.net_count(), cut);
        // The same seed gives the same groups.
        prop_assert!(cluster(&flat, &config).item_of == done.item_of);
    }
}

#[test]
fn modules_stay_together() {
    let flat = flat(6, 60);
    let done = cluster(&flat, &ClusterConfig { groups: 24, ..ClusterConfig::default() });
    let of_module = |i: usize| flat.items[i].name.split('/').next().unwrap().to_owned();
    let mut pure = 0;
    let softs: Vec<u32> = done.netlist.of(Kind::Soft).collect();
    for soft in &softs {
        let modules: BTreeSet<String> = (0..flat.items.len())
            .filter(|i| flat.items[*i].kind == Kind::Cell && done.item_of[*i] == *soft)
            .map(of_module)
            .collect();
        pure += usize::from(modules.len() == 1);
    }
    assert!(pure * 10 >= softs.len() * 8, "{pure} of {} groups hold one module", softs.len());
}

#[test]
fn results_carry_back_and_cells_place_among_fixed_macros() {
    let flat = flat(4, 60);
    let settings =
        Settings { columns: 12, rows: 8, routes_h: 57.0, routes_v: 56.0, ..Settings::default() };
    let done = cluster(&flat, &ClusterConfig { groups: 16, ..ClusterConfig::default() });
    let placement = Placement::of_netlist(&done.netlist, settings);
    let back = carry_back(&flat, &done, &placement, &placement.settings);
    let model = Arc::new(Model::new(&flat, &back.settings).unwrap());
    let mut engine = Engine::new(model, &back, Options::default()).unwrap();
    let report = global(&mut engine, 1).unwrap();
    assert!(report.overflow < 0.5, "{report:?}");
    let after = engine.placement(&back);
    for i in flat.of(Kind::Hard) {
        assert_eq!(after.spots[i as usize], back.spots[i as usize]);
    }
}

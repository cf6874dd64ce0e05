//! Quality of macro placement: our agent beside a plain annealer of the same budget, over seeds.
//!
//! `cargo run --release -p cellwright-benches --bin macro_quality -- NETLIST PLC SECONDS SEEDS
//! [REPLICAS] [global|given] [TEMPERATURE]`. `5000000000w` for SECONDS is a budget in work units. Both start from the same placement (legalised, or the analytical one with
//! `global`), have the same cooling and the same budget of wall time, and are told apart by their
//! proposals alone. Each seed is one run of each, one after the other, so that load hits both.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use cellwright_benches::process::load;
use cellwright_formats::ct::{read_netlist, read_placement};
use cellwright_formats::text::{Problems, open};
use cellwright_macros::{AnnealConfig, Budget, Engine, Model, Options, anneal, gates, global};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [netlist, plc, seconds, seeds, rest @ ..] = words.as_slice() else {
        return Err("name a netlist, a .plc file, seconds and the number of seeds".into());
    };
    let mut problems = Problems::new();
    let netlist = read_netlist(&open(netlist)?, &mut problems)?;
    let placement = read_placement(&open(plc)?, &netlist, &mut problems)?;
    let replicas = rest.first().map_or(Ok(1), |word| word.parse())?;
    let analytical = rest.iter().any(|word| word == "global");
    let temperature = rest.get(2).map(|word| word.parse()).transpose()?;
    let model = Arc::new(Model::new(&netlist, &placement.settings)?);
    let mut results = [Vec::new(), Vec::new()];
    println!("load {}", load());
    println!(
        "{:>4} {:<6} {:>11} {:>11} {:>11} {:>11} {:>11} {:>12} {:>8}",
        "seed",
        "agent",
        "start",
        "best",
        "wirelength",
        "density",
        "congestion",
        "evaluations",
        "overlaps"
    );
    for seed in 1..=seeds.parse::<u64>()? {
        for blind in [false, true] {
            let mut engine = Engine::new(Arc::clone(&model), &placement, Options::default())?;
            if analytical {
                global(&mut engine, seed)?;
            }
            let budget = match seconds.strip_suffix('w') {
                Some(units) => Budget { wall: None, work: Some(units.parse()?) },
                None => {
                    Budget { wall: Some(Duration::from_secs_f64(seconds.parse()?)), work: None }
                }
            };
            let config = AnnealConfig {
                seed,
                budget,
                replicas,
                blind,
                temperature,
                ..AnnealConfig::default()
            };
            let outcome = anneal(&mut engine, &config, &mut |_| true)?;
            let cost = engine.cost();
            let broken = gates(&netlist, &engine.placement(&placement), Some(&placement), 0.0);
            println!(
                "{seed:>4} {:<6} {:>11.8} {:>11.8} {:>11.8} {:>11.8} {:>11.8} {:>12} {:>8}",
                if blind { "plain" } else { "ours" },
                outcome.start,
                cost.proxy,
                cost.wirelength,
                cost.density,
                cost.congestion,
                outcome.evaluations,
                broken.overlaps.len() + broken.outside.len(),
            );
            results[usize::from(blind)].push(cost.proxy);
        }
    }
    for (name, list) in ["ours", "plain"].iter().zip(&results) {
        let n = list.len() as f64;
        let mean = list.iter().sum::<f64>() / n;
        let spread =
            (list.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt();
        let best = list.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{name:<6} mean {mean:.6}  standard deviation {spread:.6}  best {best:.6}");
    }
    println!("load {}", load());
    Ok(())
}

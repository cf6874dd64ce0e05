//! Quality of macro placement: our agent beside plain annealers of the same budget, over seeds.
//!
//! `cargo run --release -p cellwright-benches --bin macro_quality -- NETLIST PLC BUDGET SEEDS
//! [--replicas N] [--temperature T] [--tune T,T…] [--only ours] [--out PREFIX]`. A budget is seconds (`60`) or work
//! units (`5000000000w`); with work units the outcome is the same on any machine, however loaded.
//!
//! Three agents with the same budget:
//! - `ours`: from the analytical start, with computed proposals, at its own start temperature;
//! - `plain`: an annealer whose proposals look at nothing, from the given placement;
//! - `plain+`: the same from our analytical start, so that the start's part can be told.
//!
//! `--tune` gives the plain ones the best of several start temperatures, found on three seeds of their
//! own that are not counted after. `--temperature` sets ours. Each seed is one run of each agent,
//! one after the other, so that load hits all. `--out` writes each outcome as `.plc` and `.png`.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cellwright_benches::process::load;
use cellwright_benches::statistics::{rank_sum, spread};
use cellwright_formats::ct::{read_netlist, read_placement, write_placement};
use cellwright_formats::text::{Problems, open};
use cellwright_macros::{
    AnnealConfig, Annealed, Budget, Cost, Engine, Model, Netlist, Options, Placement,
    analytical_start, anneal, gates, picture,
};

const AGENTS: [&str; 3] = ["ours", "plain", "plain+"];
/// Seeds of the tuning, apart from those that count.
const PILOTS: std::ops::Range<u64> = 1001..1004;

struct Bench {
    netlist: Netlist,
    placement: Placement,
    model: Arc<Model>,
    budget: Budget,
    replicas: usize,
    /// Prefix of the files that outcomes are written to.
    out: Option<String>,
}

struct Run {
    outcome: Annealed,
    cost: Cost,
    illegal: usize,
}

impl Bench {
    fn run(
        &self,
        agent: usize,
        seed: u64,
        temperature: Option<f64>,
    ) -> Result<Run, Box<dyn Error>> {
        let mut engine = Engine::new(Arc::clone(&self.model), &self.placement, Options::default())?;
        if AGENTS[agent] != "plain" {
            analytical_start(&mut engine, seed, 0.0)?;
        }
        let config = AnnealConfig {
            seed,
            budget: self.budget,
            replicas: self.replicas,
            blind: AGENTS[agent] != "ours",
            temperature,
            ..AnnealConfig::default()
        };
        let mut told = Instant::now();
        let outcome = anneal(&mut engine, &config, &mut |p| {
            if told.elapsed() > Duration::from_secs(60) {
                told = Instant::now();
                println!("     {:.4} of the budget, best {:.7}", p.share, p.best);
            }
            true
        })?;
        let placed = engine.placement(&self.placement);
        let broken = gates(&self.netlist, &placed, Some(&self.placement), 0.0);
        let illegal = broken.overlaps.len() + broken.outside.len();
        if let Some(out) = &self.out {
            let stem = format!("{out}-{}-{seed}", AGENTS[agent]);
            std::fs::write(stem.clone() + ".plc", write_placement(&self.netlist, &placed, &[]))?;
            std::fs::write(stem + ".png", picture::png(&engine, 1200)?)?;
        }
        Ok(Run { outcome, cost: engine.cost(), illegal })
    }

    /// The best of some start temperatures for an agent.
    fn tune(&self, agent: usize, list: &[f64]) -> Result<Option<f64>, Box<dyn Error>> {
        let mut best: Option<(f64, f64)> = None;
        for &temperature in list {
            let mut costs = Vec::new();
            for seed in PILOTS {
                costs.push(self.run(agent, seed, Some(temperature))?.cost.proxy);
            }
            let (mean, deviation) = spread(&costs);
            println!(
                "tune {:<6} temperature {temperature:.2e}: mean {mean:.6}, deviation {deviation:.6}",
                AGENTS[agent]
            );
            if best.is_none_or(|b| mean < b.0) {
                best = Some((mean, temperature));
            }
        }
        Ok(best.map(|b| b.1))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut take = |flag: &str| -> Option<String> {
        let at = words.iter().position(|word| word == flag)?;
        words.remove(at);
        (at < words.len()).then(|| words.remove(at))
    };
    let replicas = take("--replicas").map_or(Ok(1), |word| word.parse())?;
    let ours_at: Option<f64> = take("--temperature").map(|word| word.parse()).transpose()?;
    let tune: Vec<f64> = match take("--tune") {
        Some(list) => list.split(',').map(str::parse).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let only = take("--only");
    let out = take("--out");
    let [netlist, plc, budget, seeds] = words.as_slice() else {
        return Err("name a netlist, a .plc file, a budget and the number of seeds".into());
    };
    let mut problems = Problems::new();
    let netlist = read_netlist(&open(netlist)?, &mut problems)?;
    let placement = read_placement(&open(plc)?, &netlist, &mut problems)?;
    let model = Arc::new(Model::new(&netlist, &placement.settings)?);
    let budget = match budget.strip_suffix('w') {
        Some(units) => Budget { wall: None, work: Some(units.parse()?) },
        None => Budget { wall: Some(Duration::from_secs_f64(budget.parse()?)), work: None },
    };
    let bench = Bench { netlist, placement, model, budget, replicas, out };
    let agents: Vec<usize> =
        (0..AGENTS.len()).filter(|n| only.as_ref().is_none_or(|o| o == AGENTS[*n])).collect();
    println!("load {}, {replicas} replicas", load());
    let mut temperatures = [ours_at, None, None];
    for &agent in agents.iter().filter(|n| **n > 0) {
        temperatures[agent] = bench.tune(agent, &tune)?;
    }
    println!(
        "{:>4} {:<6} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12} {:>14} {:>8} {:>7}",
        "seed",
        "agent",
        "start",
        "best",
        "wirelength",
        "density",
        "congestion",
        "evaluations",
        "work units",
        "seconds",
        "illegal"
    );
    let mut results = [Vec::new(), Vec::new(), Vec::new()];
    for seed in 1..=seeds.parse::<u64>()? {
        for &agent in &agents {
            let run = bench.run(agent, seed, temperatures[agent])?;
            println!(
                "{seed:>4} {:<6} {:>10.7} {:>10.7} {:>10.7} {:>10.7} {:>10.7} {:>12} {:>14} {:>8.1} {:>7}",
                AGENTS[agent],
                run.outcome.start,
                run.cost.proxy,
                run.cost.wirelength,
                run.cost.density,
                run.cost.congestion,
                run.outcome.evaluations,
                run.outcome.work,
                run.outcome.elapsed.as_secs_f64(),
                run.illegal,
            );
            if only.is_some() {
                for tally in &run.outcome.tallies {
                    println!(
                        "       {:<12} {:>9} tried {:>8} accepted  gained {:.6}",
                        format!("{:?}", tally.kind),
                        tally.tried,
                        tally.accepted,
                        tally.gain
                    );
                }
            }
            results[agent].push(run.cost.proxy);
        }
    }
    for &agent in &agents {
        let (mean, deviation) = spread(&results[agent]);
        let best = results[agent].iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "{:<6} mean {mean:.6}  standard deviation {deviation:.6}  best {best:.6}",
            AGENTS[agent]
        );
    }
    for &agent in agents.iter().filter(|n| **n > 0 && only.is_none()) {
        let (ours, plain) = (spread(&results[0]), spread(&results[agent]));
        let error = ((ours.1.powi(2) + plain.1.powi(2)) / results[0].len().max(1) as f64).sqrt();
        let chance = rank_sum(&results[0], &results[agent]);
        println!(
            "ours below {:<6} by {:.6}, which is {:.1} standard errors; rank-sum test, exact, \
             two-sided: p = {}",
            AGENTS[agent],
            plain.0 - ours.0,
            (plain.0 - ours.0) / error,
            chance.map_or("too many to enumerate".to_owned(), |p| format!("{p:.4}")),
        );
    }
    println!("load {}", load());
    Ok(())
}

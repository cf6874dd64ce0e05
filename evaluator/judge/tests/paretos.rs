//! The archive against plain definitions, and hypervolumes against inclusion and exclusion.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::metric::Direction::{self, Maximize, Minimize};
use cellwright_contract::validate::Validate;
use cellwright_judge::pareto::{
    Archive, ArchiveError, Candidate, Objective, Relation, exclusive, hypervolume, relation,
};
use proptest::prelude::*;

fn objective(metric: &str, direction: Direction, resolution: f64) -> Objective {
    Objective { metric: metric.into(), direction, resolution, weight: 1.0, reference: None }
}

fn archive(objectives: &[Objective], points: &[Vec<f64>]) -> Archive {
    let mut a = Archive::new(objectives.to_vec()).unwrap();
    for (i, p) in points.iter().enumerate() {
        a.insert(Candidate { id: format!("c{i:03}"), values: p.clone() }).unwrap();
    }
    a
}

/// Costs on the grid, by the words of the definition.
fn costs(objectives: &[Objective], points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let cost = |o: &Objective, v: f64| {
        let v = if o.resolution > 0.0 { (v / o.resolution).round() } else { v };
        if o.direction == Maximize { -v } else { v }
    };
    points.iter().map(|p| objectives.iter().zip(p).map(|(o, v)| cost(o, *v)).collect()).collect()
}

fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y) && a.iter().zip(b).any(|(x, y)| x < y)
}

/// Peels fronts: O(n³), straight from the definition.
fn naive_fronts(c: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..c.len()).collect();
    let mut out = Vec::new();
    while !left.is_empty() {
        let free = |i: &usize| !left.iter().any(|j| dominates(&c[*j], &c[*i]));
        let (front, rest): (Vec<_>, Vec<_>) = left.iter().partition(|i| free(i));
        out.push(front);
        left = rest;
    }
    out
}

/// Union of boxes by inclusion and exclusion, for few points.
fn naive_volume(points: &[Vec<f64>]) -> f64 {
    let inside: Vec<_> = points.iter().filter(|p| p.iter().all(|v| *v < 1.0)).collect();
    let mut total = 0.0;
    for set in 1u32..1 << inside.len() {
        let chosen: Vec<_> = (0..inside.len()).filter(|i| set >> i & 1 == 1).collect();
        let side = |k: usize| chosen.iter().map(|i| inside[*i][k].max(0.0)).fold(0.0, f64::max);
        let volume: f64 = (0..points[0].len()).map(|k| 1.0 - side(k)).product();
        total += if chosen.len() % 2 == 1 { volume } else { -volume };
    }
    total
}

#[test]
fn a_front_by_hand() {
    let o = [objective("hpwl", Minimize, 0.0), objective("wns_setup", Maximize, 0.0)];
    let points =
        [vec![1.0, -3.0], vec![2.0, -1.0], vec![4.0, 0.0], vec![4.0, -1.0], vec![5.0, -4.0]];
    let a = archive(&o, &points);
    assert_eq!(a.fronts(), [vec!["c000", "c001", "c002"], vec!["c003"], vec!["c004"]]);
    assert_eq!(a.dominated_by("c003").unwrap(), ["c001", "c002"]);
    assert_eq!(a.crowding("c000").unwrap(), f64::INFINITY);
    // Between its neighbours lies the whole range of both objectives.
    assert_eq!(a.crowding("c001").unwrap(), 2.0);
    // Ideal (1, 0), nadir (4, -3), reference (4.3, -3.3): a box of 3.3 by 3.3.
    let part = |x: f64| x / (3.3 * 3.3);
    let whole = part((4.3 - 1.0) * 0.3 + (4.3 - 2.0) * 2.0 + (4.3 - 4.0) * 1.0);
    assert!((a.hypervolume().unwrap() - whole).abs() < 1e-12);
    let own = part((4.0 - 2.0) * 2.0);
    assert!((a.contribution("c001").unwrap().unwrap() - own).abs() < 1e-12);
    assert_eq!(a.contribution("c003").unwrap(), Some(0.0));
    // z = (1/3, 1/3) for c001: s = 1/6 + 0.001/3; c000 has z = (0, 1): s = 1/2 + 0.0005.
    let (regret, detail) = a.regret("c000").unwrap();
    assert_eq!(detail.best_id, "c001");
    assert!((regret - (0.5005 - (1.0 / 6.0 + 0.001 / 3.0))).abs() < 1e-12);
    assert_eq!(a.regret("c001").unwrap().0, 0.0);
    for i in 0..5 {
        let id = format!("c{i:03}");
        a.rank(&id).unwrap().validate().unwrap();
        a.regret(&id).unwrap().1.validate().unwrap();
    }
}

#[test]
fn ties_inside_the_resolution() {
    let o = [objective("hpwl", Minimize, 1.0), objective("area", Minimize, 0.0)];
    let a = archive(&o, &[vec![10.2, 5.0], vec![9.8, 5.0], vec![10.4, 4.0], vec![8.0, 9.0]]);
    // The first two tie; both are dominated by the third, whose hpwl ties with theirs.
    assert_eq!(a.fronts(), [vec!["c002", "c003"], vec!["c000", "c001"]]);
    let b = archive(&o, &[vec![10.2, 5.0], vec![9.8, 5.0]]);
    assert_eq!(b.fronts(), [vec!["c000", "c001"]]);
    assert_eq!(b.contribution("c000").unwrap(), Some(0.0));
    assert_eq!((b.regret("c000").unwrap().0, b.regret("c001").unwrap().0), (0.0, 0.0));
    assert_eq!(b.regret("c001").unwrap().1.best_id, "c000");
}

#[test]
fn what_cannot_be_ranked_is_refused_and_changes_nothing() {
    let o = [objective("hpwl", Minimize, 1e-3)];
    let mut a = archive(&o, &[vec![1.0]]);
    let root = a.root();
    for (id, values) in [
        ("n", vec![f64::NAN]),
        ("i", vec![f64::INFINITY]),
        ("d", vec![]),
        ("c000", vec![2.0]),
        ("h", vec![f64::MAX]),
    ] {
        assert!(a.insert(Candidate { id: id.into(), values }).is_err(), "{id}");
    }
    assert_eq!((a.len(), a.root()), (1, root));
    assert!(matches!(a.rank("none"), Err(ArchiveError::Unknown(_))));
    assert!(Archive::new(vec![]).is_err());
    assert!(Archive::new(vec![o[0].clone(), o[0].clone()]).is_err());
    for bad in [
        Objective { resolution: f64::NAN, ..o[0].clone() },
        Objective { weight: -1.0, ..o[0].clone() },
        Objective { weight: 0.0, ..o[0].clone() },
        Objective { reference: Some(f64::INFINITY), ..o[0].clone() },
    ] {
        assert!(Archive::new(vec![bad]).is_err());
    }
}

#[test]
fn a_scenario_reference_bounds_the_box() {
    let o = [
        Objective { reference: Some(10.0), ..objective("hpwl", Minimize, 0.5) },
        Objective { reference: Some(-4.0), ..objective("wns_setup", Maximize, 0.0) },
    ];
    let a = archive(&o, &[vec![2.0, 0.0]]);
    assert!((a.hypervolume().unwrap() - 1.0).abs() < 1e-12);
    let b = archive(&o, &[vec![2.0, -2.0], vec![6.0, 0.0]]);
    // Box 8 by 4: 8·2 + 4·2 of 32.
    assert!((b.hypervolume().unwrap() - 24.0 / 32.0).abs() < 1e-12);
    let outside = archive(&o, &[vec![12.0, -5.0]]);
    assert_eq!(outside.hypervolume(), Some(0.0));
}

#[test]
fn large_fronts_in_many_dimensions_give_up_by_count_not_by_clock() {
    // Points on a sphere around the reference corner: none dominates another.
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let points: Vec<Vec<f64>> = (0..500)
        .map(|_| {
            let p: Vec<f64> = (0..10).map(|_| next() + 1e-3).collect();
            let norm = p.iter().map(|v| v * v).sum::<f64>().sqrt();
            p.iter().map(|v| 1.0 - v / norm).collect()
        })
        .collect();
    assert_eq!(hypervolume(&points), None);
}

fn grid(dim: usize, count: usize, steps: u32) -> impl Strategy<Value = Vec<Vec<f64>>> {
    let value = (0..=steps).prop_map(move |v| f64::from(v) / f64::from(steps));
    proptest::collection::vec(proptest::collection::vec(value, dim), 1..count)
}

proptest! {
    #[test]
    fn incremental_fronts_are_the_definition(dim in 1usize..5, seed in grid(4, 60, 7), res in 0usize..3, order in any::<u64>()) {
        let points: Vec<Vec<f64>> = seed.iter().map(|p| p[..dim].to_vec()).collect();
        let res = [0.0, 0.25, 0.3][res];
        let objectives: Vec<_> = (0..dim)
            .map(|k| objective(&format!("m{k}"), if k % 2 == 0 { Minimize } else { Maximize }, res))
            .collect();
        let c = costs(&objectives, &points);
        let a = archive(&objectives, &points);
        let want: Vec<Vec<String>> = naive_fronts(&c)
            .iter().map(|f| f.iter().map(|i| format!("c{i:03}")).collect()).collect();
        prop_assert_eq!(a.fronts(), want);
        for (i, ci) in c.iter().enumerate() {
            let id = format!("c{i:03}");
            let mut by: Vec<String> = (0..c.len()).filter(|j| dominates(&c[*j], ci))
                .map(|j| format!("c{j:03}")).collect();
            let mut got: Vec<String> = a.dominated_by(&id).unwrap().iter().map(|s| (*s).to_owned()).collect();
            by.sort();
            got.sort();
            prop_assert_eq!(got, by);
            let (regret, detail) = a.regret(&id).unwrap();
            prop_assert!(regret >= 0.0 && regret.is_finite());
            prop_assert_eq!(a.front(&detail.best_id).unwrap(), 0);
            prop_assert_eq!(a.regret(&detail.best_id).unwrap().0, 0.0);
            prop_assert!(a.rank(&id).unwrap().validate().is_ok());
        }
        // Another order of arrival, the same answers.
        let mut shuffled: Vec<usize> = (0..points.len()).collect();
        shuffled.sort_by_key(|i| (*i as u64 ^ order).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut b = Archive::new(objectives).unwrap();
        for i in shuffled {
            b.insert(Candidate { id: format!("c{i:03}"), values: points[i].clone() }).unwrap();
        }
        prop_assert_eq!(a.fronts(), b.fronts());
        prop_assert_eq!(a.root(), b.root());
        prop_assert_eq!(a.hypervolume(), b.hypervolume());
        for i in 0..points.len() {
            let id = format!("c{i:03}");
            prop_assert_eq!(a.rank(&id).unwrap(), b.rank(&id).unwrap());
            prop_assert_eq!(a.regret(&id).unwrap(), b.regret(&id).unwrap());
        }
    }

    #[test]
    fn hypervolume_is_the_union_of_the_boxes(dim in 1usize..6, seed in grid(5, 10, 6)) {
        let points: Vec<Vec<f64>> = seed.iter().map(|p| p[..dim].to_vec()).collect();
        let whole = hypervolume(&points).unwrap();
        prop_assert!((whole - naive_volume(&points)).abs() < 1e-9, "{} {}", whole, naive_volume(&points));
        let (one, rest) = points.split_first().unwrap();
        let without = if rest.is_empty() { 0.0 } else { hypervolume(rest).unwrap() };
        prop_assert!((exclusive(one, rest).unwrap() - (whole - without)).abs() < 1e-9);
    }

    #[test]
    fn relation_is_a_strict_partial_order(p in proptest::collection::vec(proptest::collection::vec(0u8..3, 3), 3)) {
        let v: Vec<Vec<f64>> = p.iter().map(|x| x.iter().map(|n| f64::from(*n)).collect()).collect();
        let better = |a: usize, b: usize| relation(&v[a], &v[b]) == Relation::Dominates;
        prop_assert!(!better(0, 0));
        prop_assert!(!(better(0, 1) && better(1, 0)));
        prop_assert!(!(better(0, 1) && better(1, 2)) || better(0, 2));
        prop_assert_eq!(better(0, 1), dominates(&v[0], &v[1]));
    }
}

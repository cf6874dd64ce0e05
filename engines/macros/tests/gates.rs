//! The rules of the contests, each broken by the least that a double can hold.

#![allow(clippy::unwrap_used)]

use cellwright_macros::netlist::{Item, Spot};
use cellwright_macros::{Broken, Kind, Netlist, Orient, Placement, Settings, gates};

/// Two hard macros of 10 × 20 side by side on 100 × 50, a soft one, a port.
fn case() -> (Netlist, Placement) {
    let mut netlist = Netlist { outline: Some((100.0, 50.0)), ..Netlist::default() };
    for (n, (name, kind, size, at)) in [
        ("a", Kind::Hard, (10.0, 20.0), (5.0, 10.0)),
        ("b", Kind::Hard, (10.0, 20.0), (15.0, 10.0)),
        ("s", Kind::Soft, (8.0, 8.0), (12.0, 12.0)),
        ("p", Kind::Port, (0.0, 0.0), (0.0, 25.0)),
    ]
    .into_iter()
    .enumerate()
    {
        let mut item = Item::new(name, kind, n as u32);
        (item.width, item.height) = size;
        item.at = Some(at);
        item.orient = (kind == Kind::Hard).then_some(Orient::N);
        netlist.items.push(item);
    }
    let placement = Placement::of_netlist(&netlist, Settings::default());
    (netlist, placement)
}

fn judged(gap: f64, change: impl FnOnce(&mut [Spot])) -> Broken {
    let (netlist, start) = case();
    let mut placement = start.clone();
    let mut spots: Vec<Spot> = placement.spots.iter().map(|s| s.unwrap()).collect();
    change(&mut spots);
    placement.spots = spots.into_iter().map(Some).collect();
    gates(&netlist, &placement, Some(&start), gap)
}

#[test]
fn abutting_is_legal_and_the_least_overlap_is_not() {
    assert!(judged(0.0, |_| {}).is_legal());
    let broken = judged(0.0, |s| s[1].x = s[1].x.next_down());
    assert_eq!((broken.overlaps.as_slice(), broken.is_legal()), ([(0, 1)].as_slice(), false));
    // Abutting is no distance.
    assert_eq!(judged(f64::MIN_POSITIVE, |_| {}).overlaps.len(), 1);
    assert!(judged(2.0, |s| s[1].x = 17.0).is_legal());
    assert!(!judged(2.0, |s| s[1].x = 17f64.next_down()).is_legal());
    // Coincident ones overlap; soft ones may.
    assert!(!judged(0.0, |s| s[1] = s[0]).is_legal());
    assert!(judged(0.0, |s| s[2] = Spot { orient: None, ..s[0] }).is_legal());
}

#[test]
fn the_boundary_is_exact() {
    assert!(judged(0.0, |s| s[1].x = 95.0).is_legal());
    assert_eq!(judged(0.0, |s| s[1].x = 95f64.next_up()).outside, [1]);
    assert!(judged(0.0, |s| s[1].y = 40.0).is_legal());
    assert_eq!(judged(0.0, |s| s[1].y = 40f64.next_up()).outside, [1]);
    assert_eq!(judged(0.0, |s| s[0].x = 5f64.next_down()).outside, [0]);
    assert_eq!(judged(0.0, |s| s[0].y = 10f64.next_down()).outside, [0]);
    // Of soft ones it is told, and no more.
    let broken = judged(0.0, |s| s[2].x = 2.0);
    assert!(broken.soft_outside == [2] && broken.is_legal());
}

#[test]
fn what_is_fixed_stays_and_so_do_ports() {
    let (netlist, mut start) = case();
    start.spots[1].as_mut().unwrap().fixed = true;
    let moved = |n: usize, change: &dyn Fn(&mut Spot)| {
        let mut placement = start.clone();
        change(placement.spots[n].as_mut().unwrap());
        gates(&netlist, &placement, Some(&start), 0.0)
    };
    assert!(moved(0, &|s| s.y = 11.0).is_legal());
    assert_eq!(moved(1, &|s| s.y = 10f64.next_up()).moved, [1]);
    assert_eq!(moved(1, &|s| s.orient = Some(Orient::FN)).moved, [1]);
    // Saying that it is free does not free it.
    let broken = moved(1, &|s| (s.y, s.fixed) = (11.0, false));
    assert!(broken.moved == [1] && !broken.is_legal());
    assert_eq!(moved(3, &|s| s.y = 26.0).moved, [3]);
}

#[test]
fn mirrored_is_legal_and_a_quarter_turn_is_not() {
    for orient in Orient::ALL {
        let broken = judged(0.0, |s| s[0].orient = Some(orient));
        assert_eq!(broken.is_legal(), Orient::UPRIGHT.contains(&orient), "{orient:?}");
        assert_eq!(broken.turned.len(), usize::from(!broken.is_legal()));
    }
}

#[test]
fn a_macro_without_a_place_is_told() {
    let (netlist, start) = case();
    let mut placement = start.clone();
    placement.spots[0] = None;
    let broken = gates(&netlist, &placement, Some(&start), 0.0);
    assert!(broken.unplaced == [0] && !broken.is_legal());
}

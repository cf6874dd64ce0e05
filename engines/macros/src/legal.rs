//! Macro legalisation: hard macros to free places near where they are, strictly without overlap.

use crate::engine::{Engine, Move};
use crate::error::MacroError;
use crate::room::Room;

impl Engine {
    /// Moves hard macros to the nearest free places so that none overlaps another, none is nearer
    /// than `gap` µm to another and none leaves the canvas. Macros that are fixed stay; what overlaps
    /// among fixed ones stays so. Soft macros stay where they are.
    ///
    /// Larger macros choose first. A macro that finds no room goes to the front and all begin anew.
    ///
    /// # Errors
    /// When a macro finds no room in any order that was tried.
    pub fn legalize(&mut self, gap: f64) -> Result<(), MacroError> {
        let room = self.legal_room(gap)?;
        let mut moves = Vec::new();
        for n in (0..room.len()).filter(|n| room.free[*n]) {
            let body = room.bodies[n];
            let (x, y) = room.centre(n);
            let orient = self.at(body as usize).2;
            moves.push(Move { body, x, y, orient });
        }
        self.apply(&moves)?;
        self.keep();
        Ok(())
    }

    /// As [`Engine::legalize`], but only says where.
    pub(crate) fn legal_room(&self, gap: f64) -> Result<Room, MacroError> {
        if !(0.0..=1e4).contains(&gap) {
            return Err(MacroError::Setting {
                what: format!("a gap of {gap} µm"),
                hint: "give one between 0 and 10,000",
            });
        }
        let model = self.model();
        let room = Room::new(model, gap, |body| {
            let (x, y, _) = self.at(body);
            (x, y, self.is_fixed(body))
        })?;
        let area = |n: usize| {
            let [w, h] = room.size(n);
            i64::from(w) * i64::from(h)
        };
        let mut order: Vec<usize> = (0..room.len()).filter(|n| room.free[*n]).collect();
        order.sort_by_key(|n| (-area(*n), *n));
        // Those that already fit stay, so a legal placement comes out as it went in, up to the grid.
        for attempt in 0..order.len().max(1) {
            let mut trial = room.clone();
            let mut later = Vec::new();
            if attempt == 0 {
                for &n in &order {
                    let want = wanted(&trial, self, n);
                    if trial.fits(n, want, &[]) {
                        trial.put(n, want);
                    } else {
                        later.push(n);
                    }
                }
            } else {
                later.clone_from(&order);
            }
            let mut stuck = None;
            for &n in &later {
                let want = wanted(&trial, self, n);
                match trial.nearest(n, want, i32::MAX - 1) {
                    Some(at) => trial.put(n, at),
                    None => {
                        stuck = Some(n);
                        break;
                    }
                }
            }
            let Some(stuck) = stuck else { return Ok(trial) };
            if attempt > 0 || later.len() == order.len() {
                order.retain(|n| *n != stuck);
                order.insert(0, stuck);
            }
        }
        let n = order.first().copied().unwrap_or(0);
        let body = room.bodies[n] as usize;
        Err(MacroError::NoRoom {
            name: model.names[body].clone(),
            width: model.width[body],
            height: model.height[body],
            hint: "lower the gap, or free the fixed macros",
        })
    }
}

fn wanted(room: &Room, engine: &Engine, n: usize) -> [i32; 2] {
    let (x, y, _) = engine.at(room.bodies[n] as usize);
    room.clip(n, x, y)
}

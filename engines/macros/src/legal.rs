//! Macro legalisation: hard macros to free places near where they are, strictly without overlap.

use crate::engine::{Engine, Move};
use crate::error::MacroError;
use crate::room::{Room, UNITS};

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
        self.settle_in(&room)
    }

    /// Legalises so that each hard macro, where there is room, shares its height evenly among as few
    /// rows of the grid as hold it: a cell's tracks are taken by the height that a macro has in it, so
    /// this keeps the worst cells lowest. Macros that find no such place are legalised as by
    /// [`Engine::legalize`].
    ///
    /// # Errors
    /// As [`Engine::legalize`].
    pub fn legalize_in_rows(&mut self, gap: f64) -> Result<(), MacroError> {
        let mut room = self.empty_room(gap)?;
        let mut order: Vec<usize> = (0..room.len()).filter(|n| room.free[*n]).collect();
        order.sort_by_key(|n| (-room.area(*n), *n));
        let height = self.model().grid.cell_height;
        let count = self.model().grid.rows;
        let mut moves = Vec::new();
        for n in order {
            let body = room.bodies[n];
            let covers = (self.model().height[body as usize] / height - 1e-9).ceil().max(1.0);
            let middles: Vec<i32> = (0..count)
                .map(|row| ((row as f64 + covers / 2.0) * height * UNITS).round() as i32)
                .collect();
            let want = wanted(&room, self, n);
            if let Some(at) = room.nearest_in_rows(n, want, &middles) {
                room.put(n, at);
                let ((x, y), orient) = (room.centre(n), self.at(body as usize).2);
                moves.push(Move { body, x, y, orient });
            }
        }
        self.apply(&moves)?;
        self.keep();
        self.legalize(gap)
    }

    fn settle_in(&mut self, room: &Room) -> Result<(), MacroError> {
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
        let model = self.model();
        let room = self.empty_room(gap)?;
        let mut order: Vec<usize> = (0..room.len()).filter(|n| room.free[*n]).collect();
        order.sort_by_key(|n| (-room.area(*n), *n));
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

    /// The room with fixed macros alone in it.
    fn empty_room(&self, gap: f64) -> Result<Room, MacroError> {
        if !(0.0..=1e4).contains(&gap) {
            return Err(MacroError::Setting {
                what: format!("a gap of {gap} µm"),
                hint: "give one between 0 and 10,000",
            });
        }
        Room::new(self.model(), gap, |body| {
            let (x, y, _) = self.at(body);
            (x, y, self.is_fixed(body))
        })
    }
}

fn wanted(room: &Room, engine: &Engine, n: usize) -> [i32; 2] {
    let (x, y, _) = engine.at(room.bodies[n] as usize);
    room.clip(n, x, y)
}

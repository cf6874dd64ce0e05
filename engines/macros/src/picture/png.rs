//! As PNG.

use super::{Look, shapes};
use crate::engine::Engine;

const PAPER: [u8; 3] = [0xfb, 0xfb, 0xf8];
/// A canvas that is taller than wide is shown narrower rather than taller than this, pixels.
const TALLEST: f64 = 4000.0;

struct Pixels {
    width: usize,
    height: usize,
    /// Red, green, blue, row by row from the top.
    data: Vec<u8>,
}

impl Pixels {
    fn blend(&mut self, x: usize, y: usize, colour: [u8; 3], opacity: f64) {
        let at = (y * self.width + x) * 3;
        for (old, new) in self.data[at..at + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * opacity;
            *old = mixed.round() as u8;
        }
    }

    /// Left, top, right, bottom; what lies outside is cut.
    fn rect(&mut self, [x0, y0, x1, y1]: [i64; 4], look: &Look) {
        let cut = |v: i64, most: usize| v.clamp(0, most as i64) as usize;
        for y in cut(y0, self.height)..cut(y1, self.height) {
            for x in cut(x0, self.width)..cut(x1, self.width) {
                let (i, j) = (x as i64, y as i64);
                let rim = i == x0 || i == x1 - 1 || j == y0 || j == y1 - 1;
                match look.edge {
                    Some((colour, wide)) if rim => self.blend(x, y, colour, wide.min(1.0)),
                    _ => self.blend(x, y, look.fill, look.opacity),
                }
            }
        }
    }
}

/// The picture as the bytes of a PNG file, `width` pixels wide.
///
/// # Errors
/// When it cannot be encoded.
pub fn png(engine: &Engine, width: u32) -> Result<Vec<u8>, png::EncodingError> {
    let settings = engine.model().settings();
    let scale = (f64::from(width) / settings.width).min(TALLEST / settings.height);
    let pixels = |um: f64| ((um * scale).round() as usize).max(1);
    let (wide, high) = (pixels(settings.width), pixels(settings.height));
    let data = PAPER.iter().copied().cycle().take(wide * high * 3).collect();
    let mut canvas = Pixels { width: wide, height: high, data };
    for ([left, bottom, right, top], look) in shapes(engine, 3.0 / scale) {
        let x = |um: f64| (um * scale).round() as i64;
        // Pictures count from the top.
        let y = |um: f64| ((settings.height - um) * scale).round() as i64;
        // Nothing vanishes, however small.
        let (x0, y0) = (x(left), y(top));
        canvas.rect([x0, y0, x(right).max(x0 + 1), y(bottom).max(y0 + 1)], &look);
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, wide as u32, high as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&canvas.data)?;
    writer.finish()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use crate::sample::{Size, generate};
    use crate::{Engine, Kind, Model, Options};

    #[test]
    fn a_hard_macro_is_seen_where_it_stands() {
        let (netlist, placement) = generate(Size::SMALL, 4);
        let model = Arc::new(Model::new(&netlist, &placement.settings).unwrap());
        let engine = Engine::new(model, &placement, Options::default()).unwrap();
        let file = super::png(&engine, 300).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        assert_eq!(info.width, 300);
        let s = &placement.settings;
        let scale = 300.0 / s.width;
        // The last hard macro is drawn over all but ports: violet, more blue than green.
        let last = netlist.of(Kind::Hard).last().unwrap() as usize;
        let spot = placement.spots[last].unwrap();
        let (x, y) = ((spot.x * scale) as usize, ((s.height - spot.y) * scale) as usize);
        let at = (y * info.width as usize + x) * 3;
        assert!(data[at + 2] > data[at + 1], "{:?}", &data[at..at + 3]);
    }
}

//! A layout as a PNG, for a model that can look.

use cellwright_contract::geometry::Rect;
use serde::Deserialize;

use crate::desk::{Scene, ShapeKind};

/// What colours mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Colour {
    /// What a cell is; late ones red.
    #[default]
    Kind,
    /// How late a cell is.
    Slack,
}

/// What is shown and how large.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// DBU; the extent of all shapes when absent.
    pub(crate) region: Option<Rect>,
    /// Pixels.
    pub(crate) width: u32,
    pub(crate) colour: Colour,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drawn {
    pub(crate) png: Vec<u8>,
    pub(crate) region: Rect,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Cells inside the region.
    pub(crate) cells: u64,
    /// Of which with negative slack.
    pub(crate) late: u64,
}

type Pixel = [u8; 3];
const PAPER: Pixel = [0xfb, 0xfb, 0xf8];
const MARK: Pixel = [0xf5, 0xd2, 0x18];
const TALLEST: u32 = 2000;

struct Canvas {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Canvas {
    /// Fills a rectangle of pixels; `edge` is drawn around when there is room for it.
    fn fill(&mut self, x0: i64, y0: i64, x1: i64, y1: i64, colour: Pixel, edge: Option<Pixel>) {
        let (x0, y0) = (x0.max(0), y0.max(0));
        let (x1, y1) = (x1.min(i64::from(self.width)), y1.min(i64::from(self.height)));
        let roomy = x1 - x0 > 3 && y1 - y0 > 3;
        for y in y0..y1 {
            for x in x0..x1 {
                let border = x == x0 || x == x1 - 1 || y == y0 || y == y1 - 1;
                let pixel = match edge {
                    Some(edge) if border && roomy => edge,
                    _ => colour,
                };
                let at = (y as usize * self.width as usize + x as usize) * 3;
                if let Some(target) = self.pixels.get_mut(at..at + 3) {
                    target.copy_from_slice(&pixel);
                }
            }
        }
    }
}

/// Red at the worst slack, yellow at none, green at the best.
fn heat(slack: Option<f64>, worst: f64, best: f64) -> Pixel {
    let Some(slack) = slack else { return [0xc8, 0xc8, 0xc8] };
    let mix = |a: Pixel, b: Pixel, t: f64| -> Pixel {
        std::array::from_fn(|i| {
            (f64::from(a[i]) + (f64::from(b[i]) - f64::from(a[i])) * t.clamp(0.0, 1.0)) as u8
        })
    };
    let (red, yellow, green) = ([0xc8, 0x28, 0x28], [0xf0, 0xdc, 0x78], [0x46, 0x96, 0x5a]);
    if slack < 0.0 {
        mix(yellow, red, 0.3 + 0.7 * slack / worst.min(-1e-12))
    } else {
        mix(yellow, green, slack / best.max(1e-12))
    }
}

/// A whole scene as a PNG of at most `width` pixels, cells coloured by kind.
///
/// # Errors
/// When the PNG cannot be encoded.
pub fn png(scene: &Scene, width: u32) -> Result<Vec<u8>, std::io::Error> {
    let frame = Frame { region: scene.die, width: width.max(1), colour: Colour::Kind };
    draw(scene, &frame, &[]).map(|drawn| drawn.png).map_err(std::io::Error::other)
}

/// Draws a scene.
///
/// # Errors
/// When the PNG cannot be encoded.
pub(crate) fn draw(
    scene: &Scene,
    frame: &Frame,
    marked: &[Rect],
) -> Result<Drawn, png::EncodingError> {
    let extent = || {
        scene.shapes.iter().map(|shape| shape.at).reduce(|a, b| Rect {
            x0: a.x0.min(b.x0),
            y0: a.y0.min(b.y0),
            x1: a.x1.max(b.x1),
            y1: a.y1.max(b.y1),
        })
    };
    let region = frame.region.or_else(extent).unwrap_or(Rect { x0: 0, y0: 0, x1: 1, y1: 1 });
    let (wide, tall) =
        ((region.x1 - region.x0).max(1) as f64, (region.y1 - region.y0).max(1) as f64);
    // A tall region is shown narrower rather than cut.
    let scale = (f64::from(frame.width) / wide).min(f64::from(TALLEST) / tall);
    let width = ((wide * scale).round() as u32).clamp(1, frame.width);
    let height = ((tall * scale).round() as u32).clamp(1, TALLEST);
    let mut canvas = Canvas {
        width,
        height,
        pixels: PAPER.iter().copied().cycle().take(width as usize * height as usize * 3).collect(),
    };
    let place = |r: &Rect| {
        let x = |at: i64| ((at - region.x0) as f64 * scale).round() as i64;
        // Pictures count from the top.
        let y = |at: i64| ((region.y1 - at) as f64 * scale).round() as i64;
        let (x0, y0) = (x(r.x0), y(r.y1));
        // Nothing vanishes, however small.
        (x0, y0, x(r.x1).max(x0 + 1), y(r.y0).max(y0 + 1))
    };
    let slacks = || scene.shapes.iter().filter_map(|shape| shape.slack);
    let (worst, best) = (slacks().fold(0.0, f64::min), slacks().fold(0.0, f64::max));
    let (mut cells, mut late) = (0, 0);
    for shape in &scene.shapes {
        let r = &shape.at;
        if r.x1 < region.x0 || r.x0 > region.x1 || r.y1 < region.y0 || r.y0 > region.y1 {
            continue;
        }
        let is_late = shape.slack.is_some_and(|slack| slack < 0.0);
        let is_cell = !matches!(shape.kind, ShapeKind::Row | ShapeKind::Blockage | ShapeKind::Port);
        cells += u64::from(is_cell);
        late += u64::from(is_cell && is_late);
        let colour = match (frame.colour, shape.kind) {
            (_, ShapeKind::Row) => [0xf1, 0xef, 0xe8],
            (_, ShapeKind::Blockage) => [0xd8, 0xd8, 0xd8],
            (_, ShapeKind::Port) => [0xe0, 0xa0, 0x30],
            (Colour::Slack, _) => heat(shape.slack, worst, best),
            (Colour::Kind, _) if is_late => [0xd9, 0x57, 0x4a],
            (_, ShapeKind::Logic) => [0x86, 0xb9, 0x8a],
            (_, ShapeKind::Register) => [0x4a, 0x8f, 0xc9],
            (_, ShapeKind::Macro) => [0xb9, 0xa7, 0xd6],
            (_, ShapeKind::Filler) => [0xcf, 0xca, 0xbd],
        };
        let (x0, y0, x1, y1) = place(r);
        let edge = if shape.kind == ShapeKind::Row { [0xe4, 0xe2, 0xda] } else { PAPER };
        canvas.fill(x0, y0, x1, y1, colour, Some(edge));
    }
    for r in marked {
        let (x0, y0, x1, y1) = place(r);
        canvas.fill(x0 - 1, y0 - 1, x1 + 1, y1 + 1, MARK, Some([0, 0, 0]));
    }
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&canvas.pixels)?;
    writer.finish()?;
    Ok(Drawn { png, region, width, height, cells, late })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::desk::Shape;

    fn pixels(png: &[u8]) -> (u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut out = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut out).unwrap();
        (info.width, out)
    }

    #[test]
    fn what_is_drawn_can_be_read_again() {
        let rect = |x0, y0, x1, y1| Rect { x0, y0, x1, y1 };
        let cell = |at, slack| Shape { at, kind: ShapeKind::Logic, slack };
        let scene = Scene {
            die: Some(rect(0, 0, 1000, 500)),
            shapes: vec![
                cell(rect(0, 0, 500, 250), None),
                cell(rect(500, 250, 1000, 500), Some(-0.1)),
                cell(rect(5000, 0, 5001, 1), None),
            ],
        };
        let frame = Frame { region: scene.die, width: 100, colour: Colour::Kind };
        let drawn = draw(&scene, &frame, &[]).unwrap();
        assert_eq!((drawn.width, drawn.height, drawn.cells, drawn.late), (100, 50, 2, 1));
        let (width, pixels) = pixels(&drawn.png);
        let at = |x: u32, y: u32| {
            let at = (y * width + x) as usize * 3;
            [pixels[at], pixels[at + 1], pixels[at + 2]]
        };
        assert_eq!(at(25, 40), [0x86, 0xb9, 0x8a], "lower left: a cell");
        assert_eq!(at(75, 10), [0xd9, 0x57, 0x4a], "upper right: a late cell");
        assert_eq!(at(25, 10), PAPER);
        assert_eq!(at(75, 40), PAPER);
    }

    #[test]
    fn odd_regions_make_no_large_picture() {
        for region in [
            Rect { x0: 0, y0: 0, x1: 1, y1: 1 << 40 },
            Rect { x0: -(1 << 40), y0: 0, x1: 1 << 40, y1: 1 },
        ] {
            let frame = Frame { region: Some(region), width: 2000, colour: Colour::Slack };
            let drawn = draw(&Scene::default(), &frame, &[region]).unwrap();
            assert!(drawn.width <= 2000 && drawn.height <= TALLEST);
        }
    }
}

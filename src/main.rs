//! The command `cellwright`.

fn main() {}

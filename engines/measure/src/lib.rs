//! What a placement costs: wirelength, density, congestion, legality, full and incremental.

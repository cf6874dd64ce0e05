//! Where cells go: global placement, legalisation, detailed placement.

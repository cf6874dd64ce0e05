//! The offline second opinion: recomputes what a certificate claims.

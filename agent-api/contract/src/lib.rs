//! The words between agents and the platform: requests, results, proposals, certificates.

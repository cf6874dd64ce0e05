//! A run spoken over MCP.

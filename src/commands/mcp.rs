//! `cellwright mcp --design PATH`: runs over the Model Context Protocol, on standard input and output
//! or as an HTTP endpoint on the loopback interface.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cellwright::desk::House;
use cellwright_mcp::{HttpSettings, Server, listen, serve_stdio};
use clap::Args;

use crate::failure::Failure;
use crate::keys;

/// Environment variable with the token of the HTTP endpoint.
const TOKEN: &str = "CELLWRIGHT_MCP_TOKEN";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one; may be given several times. Clients can open
    /// these and nothing else.
    #[arg(long, required = true)]
    design: Vec<PathBuf>,
    /// Where run directories go, one a run.
    #[arg(long, default_value = "runs")]
    runs: PathBuf,
    /// Serve HTTP on 127.0.0.1 instead of standard input and output; 0 takes a free port. The token
    /// is CELLWRIGHT_MCP_TOKEN, or a new one that is told on standard error.
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
    /// Issuer's key; the user's own when not given.
    #[arg(long)]
    key: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let key = keys::signing(arguments.key.as_ref())?;
    let house = House::new(&arguments.design, arguments.runs.clone(), key)?;
    let server = Server::new(Arc::new(house));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(serve(server.clone(), arguments.http));
    // Whatever ended it, every open run leaves a whole run directory.
    server.close();
    runtime.shutdown_timeout(Duration::from_secs(2));
    result.map(|()| ExitCode::SUCCESS).map_err(Failure::input)
}

async fn serve(server: Server, http: Option<u16>) -> Result<(), String> {
    let Some(port) = http else {
        return tokio::select! {
            result = serve_stdio(server) => result,
            () = told_to_stop() => Ok(()),
        };
    };
    let token = match std::env::var(TOKEN) {
        Ok(token) => token,
        Err(_) => {
            let token = new_token()?;
            eprintln!("token: {token}");
            token
        }
    };
    let listening = listen(server, HttpSettings { port, token }).await?;
    eprintln!("listening: {}", listening.url());
    told_to_stop().await;
    listening.stop().await;
    Ok(())
}

/// 256 bits of the system's, in hexadecimal.
fn new_token() -> Result<String, String> {
    use std::io::Read as _;
    let mut bytes = [0; 32];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| format!("no random bytes for a token ({error}); set {TOKEN}"))?;
    Ok(cellwright_contract::refs::Hex32(bytes).to_string())
}

/// Ctrl-C, or the signal by which services are stopped.
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let interrupt = tokio::signal::ctrl_c();
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = interrupt.await;
        }
    }
}

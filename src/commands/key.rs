//! `cellwright key new|show|trust`: the issuer's key and the keys that are trusted.

use std::path::PathBuf;
use std::process::ExitCode;

use cellwright_judge::keys::{PublicKey, SecretKey};
use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::keys;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a key of your own and write its public part beside it.
    New {
        /// Where the secret key goes; the place of the user's own key when not given.
        path: Option<PathBuf>,
    },
    /// Show the public part of a key; the secret part is never shown.
    Show {
        /// The secret or the public key; the user's own when not given.
        path: Option<PathBuf>,
    },
    /// Trust a public key from now on, or list what is trusted.
    Trust {
        /// The public key, such as issuer.pub of a run directory.
        path: Option<PathBuf>,
        /// Trust it no longer: its key id.
        #[arg(long, value_name = "KEYID", conflicts_with = "path")]
        remove: Option<String>,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::New { path } => new(path.as_ref()),
        Command::Show { path } => show(path.as_ref()),
        Command::Trust { path, remove } => trust(path.as_ref(), remove.as_deref()),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn new(path: Option<&PathBuf>) -> Result<(), Failure> {
    let path = match path {
        Some(path) => path.clone(),
        None => keys::default_path()?,
    };
    let public = path.with_extension("pub");
    if public == path {
        let text = format!("{}: the secret key must not end in .pub", path.display());
        return Err(Failure::input(text));
    }
    if public.exists() {
        let text = format!("{}: exists already; a key is never overwritten", public.display());
        return Err(Failure::input(text));
    }
    let key = keys::create(&path)?;
    key.public().save(&public)?;
    say!("secret key: {} (readable by you alone)", path.display());
    say!("public key: {}", public.display());
    say!("key id: {}", key.public().keyid);
    Ok(())
}

fn show(path: Option<&PathBuf>) -> Result<(), Failure> {
    let path = match path {
        Some(path) => path.clone(),
        None => keys::default_path()?,
    };
    let public = match PublicKey::load(&path) {
        Ok(public) => public,
        Err(_) => SecretKey::load(&path)?.public().clone(),
    };
    say!("key id: {}", public.keyid);
    say!("ed25519 public key: {}", public.keyval.public);
    Ok(())
}

fn trust(path: Option<&PathBuf>, remove: Option<&str>) -> Result<(), Failure> {
    let file = keys::trust_path()?;
    let mut list = keys::trust_list()?;
    if let Some(path) = path {
        let key = PublicKey::load(path)?;
        let fresh = list.add(&key).map_err(Failure::input)?;
        if fresh {
            keys::make_folder(&file)?;
            list.save(&file)?;
        }
        say!("{} {}", if fresh { "trusted from now on:" } else { "trusted already:" }, key.keyid);
        return Ok(());
    }
    if let Some(keyid) = remove {
        if !list.remove(keyid) {
            return Err(Failure::input(format!("{keyid} is not in {}", file.display())));
        }
        list.save(&file)?;
        say!("trusted no longer: {keyid}");
        return Ok(());
    }
    for key in list.keys() {
        say!("{}", key.keyid);
    }
    Ok(())
}

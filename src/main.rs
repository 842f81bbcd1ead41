//! The `cce` program: parse arguments, run, map the result to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cce::cli::run() as u8)
}

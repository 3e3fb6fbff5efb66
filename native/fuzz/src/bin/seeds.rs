//! `seeds FOLDER` writes the inputs with which fuzzing begins. Each target has a folder below FOLDER. Most inputs are
//! made from packets that the transports of netsim exchange, so that these packets need not be in the repository.

use std::fs;
use std::io;
use std::path::Path;

use fuzz::seeds;

fn main() -> io::Result<()> {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: seeds FOLDER");
        std::process::exit(2);
    };
    for (target, inputs) in seeds::all() {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder)?;
        for (number, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:02}")), input)?;
        }
        println!("{target}: {} inputs", inputs.len());
    }
    Ok(())
}

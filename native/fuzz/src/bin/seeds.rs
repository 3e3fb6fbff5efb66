//! Writes the inputs with which fuzzing begins: `seeds FOLDER`, with a folder for each target below FOLDER. They are
//! made of the packets that this program's own transports exchange, so nothing large is in the repository.

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

//! Checks that each module of netsim uses only modules below it. `src/lib.rs` documents the order.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const GROUND: [&str; 6] = ["time", "random", "event_queue", "ip", "packet", "tls"];
const PROTOCOLS: [&str; 3] = ["tcp", "sctp", "udp"];

/// The modules that the module `part` may use; `None` if `part` is not in the list.
fn under(part: &str) -> Option<Vec<&'static str>> {
    let with = |more: &[&'static str]| [&GROUND[..], more].concat();
    match part {
        "time" | "random" | "ip" | "packet" | "tls" => Some(Vec::new()),
        "event_queue" | "congestion" => Some(vec!["time"]),
        "link" => Some(with(&[])),
        "trace" => Some(with(&["link"])),
        "endpoint" => Some(with(&["trace"])),
        "transport" | "ahead" => Some(with(&["endpoint"])),
        "sctp" => Some(with(&["trace", "endpoint", "transport", "ahead", "udp"])),
        protocol if PROTOCOLS.contains(&protocol) => {
            Some(with(&["trace", "endpoint", "transport", "ahead", "congestion"]))
        }
        "live" => Some(with(&["link", "trace", "endpoint", "transport", "udp"])),
        "quic" => Some(with(&["trace", "endpoint", "transport", "ahead", "congestion", "udp", "tcp"])),
        "traffic" => Some(with(&["link", "endpoint", "tcp", "udp"])),
        "emulator" => Some(with(&["link", "traffic"])),
        "sim" => Some([&with(&["link", "trace", "endpoint", "transport", "quic", "traffic"])[..], &PROTOCOLS].concat()),
        _ => None,
    }
}

#[test]
fn no_module_uses_a_module_above_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut uses = BTreeMap::<String, usize>::new();
    for file in sources(&src) {
        let inside = file.strip_prefix(&src).unwrap();
        let part = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if part == "lib" {
            continue;
        }
        let allowed = under(part).unwrap_or_else(|| panic!("{part}: add the module to the list in {}", file!()));
        let text = std::fs::read_to_string(&file).unwrap();
        for used in used_parts(&text) {
            *uses.entry(part.to_owned()).or_default() += 1;
            if used != part && !allowed.contains(&used) {
                wrong.push(format!("{}: crate::{used}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(uses["sim"] > 5 && uses["tcp"] > 10, "the uses were not found: {uses:?}");
}

#[test]
fn single_and_grouped_uses_are_found() {
    let text =
        "use crate::time::SimTime; use crate::{ip, link::{Loss, Queue}, trace::Fate};\n#[cfg(test)] use crate::sim;";
    assert_eq!(used_parts(text), ["time", "ip", "link", "trace"]);
}

/// Returns the names that follow `crate::`, alone or in a group, in the code before the file's tests.
fn used_parts(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    code.split("crate::").skip(1).flat_map(first_names).collect()
}

/// Returns the first name of a path, or the first names of all paths of a group.
fn first_names(path: &str) -> Vec<&str> {
    let name = |path: &str| path.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(path.len());
    let Some(group) = path.strip_prefix('{') else { return vec![&path[..name(path)]] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let each = group[start..at].trim_start();
                names.push(&each[..name(each)]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Returns all files in `folder` and its subfolders, except test files (`*_test.rs`).
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if !path.to_str().unwrap().ends_with("_test.rs") {
            found.push(path);
        }
    }
    found
}

fn main() {
    // main/setup/cargo.mjs and wasm.mjs set this variable when they make cargo use the patched crates
    println!("cargo::rerun-if-env-changed=INTERLEAVE_PATCHED");
    println!("cargo::rustc-check-cfg=cfg(patched)");
    if std::env::var_os("INTERLEAVE_PATCHED").is_some() {
        println!("cargo::rustc-cfg=patched");
    }
}

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::targets::capture_file(bytes));

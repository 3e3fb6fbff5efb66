#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::targets::ip_packets(bytes));

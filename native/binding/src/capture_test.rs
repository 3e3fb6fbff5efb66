use super::*;

/// The parts of a test file in one byte order.
#[derive(Clone, Copy)]
struct Order {
    is_big: bool,
}

const ORDERS: [Order; 2] = [Order { is_big: false }, Order { is_big: true }];

impl Order {
    fn half(self, number: u16) -> Vec<u8> {
        if self.is_big { number.to_be_bytes().to_vec() } else { number.to_le_bytes().to_vec() }
    }

    fn word(self, number: u32) -> Vec<u8> {
        if self.is_big { number.to_be_bytes().to_vec() } else { number.to_le_bytes().to_vec() }
    }

    fn block(self, kind: u32, body: &[Vec<u8>]) -> Vec<u8> {
        let mut body = body.concat();
        body.resize(body.len().next_multiple_of(4), 0);
        let length = self.word(body.len() as u32 + 12);
        [self.word(kind), length.clone(), body, length].concat()
    }

    fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let mut padded = value.to_vec();
        padded.resize(value.len().next_multiple_of(4), 0);
        [self.half(code), self.half(value.len() as u16), padded].concat()
    }

    fn end(self) -> Vec<u8> {
        self.word(0)
    }

    fn section(self, application: &str) -> Vec<u8> {
        let version = [self.half(1), self.half(0), vec![0xff; 8]].concat();
        let options = [self.option(4, application.as_bytes()), self.end()].concat();
        self.block(SECTION_HEADER_BLOCK, &[self.word(SECTION_MAGIC), version, options])
    }

    fn interface(self, link: u16, options: &[Vec<u8>]) -> Vec<u8> {
        let options = if options.is_empty() { Vec::new() } else { [options.concat(), self.end()].concat() };
        self.block(INTERFACE_DESCRIPTION_BLOCK, &[self.half(link), self.half(0), self.word(0), options])
    }

    fn packet(self, interface: u32, ticks: u64, original: u32, data: &[u8], options: &[Vec<u8>]) -> Vec<u8> {
        let mut padded = data.to_vec();
        padded.resize(data.len().next_multiple_of(4), 0);
        let options = if options.is_empty() { Vec::new() } else { [options.concat(), self.end()].concat() };
        let times = [self.word((ticks >> 32) as u32), self.word(ticks as u32)].concat();
        let sizes = [self.word(data.len() as u32), self.word(original)].concat();
        self.block(ENHANCED_PACKET_BLOCK, &[self.word(interface), times, sizes, padded, options])
    }

    /// A file of the format pcap.
    fn pcap(self, magic: u32, link: u32, packets: &[(u32, u32, u32, &[u8])]) -> Vec<u8> {
        let version = [self.half(2), self.half(4)].concat();
        let limits = [vec![0; 8], self.word(65_535), self.word(link)].concat();
        let mut file = [self.word(magic), version, limits].concat();
        for (seconds, fraction, original, data) in packets {
            for number in [*seconds, *fraction, data.len() as u32, *original] {
                file.extend(self.word(number));
            }
            file.extend_from_slice(data);
        }
        file
    }
}

/// An IPv4 packet whose header states `bytes` bytes, of which the first `captured` are returned.
fn ipv4(bytes: u16, captured: usize) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 0, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    packet[2..4].copy_from_slice(&bytes.to_be_bytes());
    packet.resize(captured, 7);
    packet
}

fn texts(capture: &Capture) -> serde_json::Value {
    serde_json::from_slice(&capture.texts).unwrap()
}

fn message(file: &[u8]) -> String {
    read_capture(file).unwrap_err().message
}

#[test]
fn pcapng_is_read_in_both_byte_orders_and_each_resolution() {
    for order in ORDERS {
        let raw = |options: &[Vec<u8>]| order.interface(101, options);
        let data = ipv4(40, 40);
        let file = [
            order.section("a program"),
            raw(&[order.option(2, b"first")]),
            raw(&[order.option(9, &[9]), order.option(2, b"second")]),
            raw(&[order.option(9, &[0x80 | 20])]),
            raw(&[order.option(9, &[3]), order.option(14, &[order.word(0), order.word(2)].concat_by(order))]),
            order.packet(0, 5_000_001, 40, &data, &[order.option(1, b"one"), order.option(1, b"two")]),
            order.packet(1, 5_000_001_001, 40, &data, &[order.option(2, &order.word(1))]),
            order.packet(2, 6 << 20, 40, &data, &[]),
            order.packet(3, 5000, 40, &data, &[]),
        ]
        .concat();
        let capture = read_capture(&file).unwrap();
        assert_eq!(capture.at_ns, [0, 1, 999_999_000, 1_999_999_000]);
        assert_eq!((capture.bytes, capture.length), (vec![40; 4], vec![40; 4]));
        // the second packet has the flag of inbound packets
        assert_eq!(capture.way, [0, 1, 0, 0]);
        let texts: serde_json::Value = serde_json::from_slice(&capture.texts).unwrap();
        let text = |index: u32| texts["texts"][index as usize].as_str().unwrap().to_owned();
        assert_eq!(capture.interface.iter().map(|name| text(*name)).collect::<Vec<_>>(), ["first", "second", "", ""]);
        assert_eq!(capture.comment.iter().map(|name| text(*name)).collect::<Vec<_>>(), ["one\ntwo", "", "", ""]);
        assert_eq!(texts["application"], "a program");
        assert_eq!(texts["notes"], json!([]));
        for start in capture.start {
            assert_eq!(file[start as usize..][..40], data);
        }
    }
}

/// Joins two words to a number of 8 bytes. The first word is the upper half.
trait ConcatBy {
    fn concat_by(self, order: Order) -> Vec<u8>;
}

impl ConcatBy for [Vec<u8>; 2] {
    fn concat_by(mut self, order: Order) -> Vec<u8> {
        if !order.is_big {
            self.reverse();
        }
        self.concat()
    }
}

#[test]
fn pcap_is_read_in_both_byte_orders_and_both_resolutions() {
    for order in ORDERS {
        for (magic, unit_ns) in [(0xa1b2_c3d4, 1000), (0xa1b2_3c4d, 1)] {
            let data = [&[0; 12][..], &[8, 0], &ipv4(40, 40)].concat();
            let packets = [(7, 999_999, 54, data.as_slice()), (8, 1, 54, data.as_slice())];
            // the upper bits of the link type say that frames end with a checksum of 4 bytes
            let capture = read_capture(&order.pcap(magic, 1 | 0x2400_0000, &packets)).unwrap();
            assert_eq!(capture.at_ns, [0, NS_PER_S as u64 - 999_998 * unit_ns]);
            assert_eq!((capture.start, capture.bytes), (vec![24 + 16 + 14, 24 + 16 + 54 + 16 + 14], vec![40; 2]));
        }
    }
}

#[test]
fn the_size_is_that_of_the_ip_packet_without_the_padding_of_the_link_layer() {
    let order = ORDERS[0];
    let ethernet = |kind: u16, ip: &[u8]| [&[0; 12][..], &kind.to_be_bytes(), ip].concat();
    let padded = ethernet(0x0800, &[ipv4(40, 40), vec![0; 6]].concat());
    let cut = ethernet(0x0800, &ipv4(1500, 30));
    let uncounted = ethernet(0x0800, &ipv4(0, 60));
    let ipv6 = |payload: u8| ethernet(0x86dd, &[&[0x60, 0, 0, 0, 0, payload, 6, 64][..], &[1; 52]].concat());
    let packets = [
        (0, 0, 60, &padded),
        (0, 1, 1514, &cut),
        (0, 2, 70_014, &uncounted),
        (0, 3, 74, &ipv6(20)),
        (0, 4, 90_014, &ipv6(0)),
    ];
    let packets = packets.map(|(seconds, fraction, original, data)| (seconds, fraction, original, data.as_slice()));
    let capture = read_capture(&order.pcap(0xa1b2_c3d4, 1, &packets)).unwrap();
    assert_eq!(capture.bytes, [40, 1500, 70_000, 60, 90_000]);
    assert_eq!(capture.length, [40, 30, 60, 60, 60]);
}

#[test]
fn packets_are_in_order_of_time() {
    let order = ORDERS[0];
    let data = ipv4(40, 40);
    let at = |ticks| order.packet(0, ticks, 40, &data, &[order.option(1, ticks.to_string().as_bytes())]);
    let file = [order.section(""), order.interface(101, &[]), at(30), at(10), at(20), at(10)].concat();
    let capture = read_capture(&file).unwrap();
    assert_eq!(capture.at_ns, [0, 0, 10_000, 20_000]);
    assert_eq!(texts(&capture)["texts"], json!(["", "30", "10", "20"]));
    assert_eq!(capture.comment, [2, 2, 3, 1]);
}

#[test]
fn flags_of_a_packet_say_which_way_it_went_before_its_header() {
    let order = ORDERS[0];
    let data = [vec![0, 4, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0], ipv4(40, 40)].concat();
    let with = |flags| order.packet(0, 1, 56, &data, &[order.option(2, &order.word(flags))]);
    let plain = order.packet(0, 1, 56, &data, &[]);
    let file = [order.section(""), order.interface(113, &[]), with(2), with(0x1001), with(4), plain].concat();
    assert_eq!(read_capture(&file).unwrap().way, [2, 1, 2, 2]);
}

#[test]
fn a_file_has_its_key_log_inside() {
    for order in ORDERS {
        let lines = "CLIENT_RANDOM 00 11\n";
        let secrets = [order.word(TLS_KEY_LOG), order.word(lines.len() as u32), lines.as_bytes().to_vec()];
        let other = [order.word(1), order.word(4), vec![1; 4]];
        let blocks = [secrets, other].map(|body| order.block(DECRYPTION_SECRETS_BLOCK, &body)).concat();
        let capture = read_capture(&[order.section(""), blocks].concat()).unwrap();
        assert_eq!(texts(&capture)["keys"], format!("{lines}\n"));
    }
}

#[test]
fn what_cannot_be_read_is_counted() {
    let order = ORDERS[0];
    let data = ipv4(40, 40);
    let old =
        [order.half(0), order.half(0), order.word(0), order.word(9), order.word(40), order.word(40), data.clone()];
    let file = [
        order.section(""),
        order.interface(101, &[]),
        order.interface(127, &[]),
        order.interface(101, &[order.option(9, &[90])]),
        order.packet(0, 8, 40, &data, &[]),
        order.block(PACKET_BLOCK, &old),
        order.packet(0, 8, 40, &[0x15; 20], &[]),
        order.packet(1, 8, 40, &data, &[]),
        order.packet(2, 8, 40, &data, &[]),
        order.packet(3, 8, 40, &data, &[]),
        order.packet(0, 8, 40, &data, &[order.option(1, &[0xff])]),
        order.block(SIMPLE_PACKET_BLOCK, &[order.word(40), data.clone()]),
        order.block(4, &[vec![9; 400]]),
        vec![1, 2, 3],
    ]
    .concat();
    let capture = read_capture(&file).unwrap();
    assert_eq!(capture.at_ns, [0, 1000]);
    let notes = [
        "1 packet without IP was left out.",
        "1 packet of an unknown link layer was left out.",
        "2 packets with a damaged block were left out.",
        "2 packets without a time were left out.",
        "The file is truncated or damaged: its last 3 bytes were not read.",
    ];
    assert_eq!(texts(&capture)["notes"], json!(notes));
}

#[test]
fn files_that_are_no_captures_and_limits_are_errors() {
    let order = ORDERS[0];
    assert!(message(b"").contains("neither pcapng nor pcap"));
    assert!(message(&[0x1f, 0x8b, 8, 0]).contains("neither pcapng nor pcap"));
    assert!(message(&[0xd4, 0xc3, 0xb2, 0xa1, 2]).contains("damaged at byte 0"));
    assert!(message(&vec![0; MOST_FILE_BYTES + 1]).contains("400000001 bytes (at most 400000000)"));
    let wireless = order.pcap(0xa1b2_c3d4, 127, &[(0, 0, 40, &ipv4(40, 40))]);
    assert!(message(&wireless).contains("link type 127"));
    let interfaces = vec![order.interface(101, &[]); MOST_INTERFACES + 1].concat();
    assert!(message(&[order.section(""), interfaces].concat()).contains("more than 256 interfaces"));
    let years = order.pcap(0xa1b2_c3d4, 101, &[(0, 0, 40, &ipv4(40, 40)), (u32::MAX, 0, 40, &ipv4(40, 40))]);
    assert!(message(&years).contains("span 4294967295 s"));
}

#[test]
fn a_block_that_states_a_huge_size_uses_no_memory() {
    for order in ORDERS {
        let options = vec![order.option(99, &[]); 400_000].concat();
        let interface = order.interface(101, std::slice::from_ref(&options));
        assert!(message(&[order.section(""), interface].concat()).contains("at most 16384"));
        let section = order.section(&"a".repeat(60_000));
        assert!(message(&section).contains("at most 16384"));
        let packet = order.packet(0, 0, 40, &ipv4(40, 40), &[options]);
        let file = [order.section(""), order.interface(101, &[]), packet].concat();
        assert!(message(&file).contains("at most 1048576"));
    }
}

#[test]
fn no_damaged_file_causes_a_panic() {
    let mut files = Vec::new();
    for order in ORDERS {
        let data = ipv4(40, 40);
        let packets = (0..3).map(|i| order.packet(i % 2, i.into(), 40, &data, &[order.option(1, b"x")]));
        let interfaces = [order.interface(101, &[]), order.interface(1, &[order.option(9, &[9])])].concat();
        files.push([order.section("a"), interfaces, packets.collect::<Vec<_>>().concat()].concat());
        files.push(order.pcap(0xa1b2_c3d4, 101, &[(0, 0, 40, &data), (0, 9, 40, &data)]));
    }
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut read = 0;
    for file in &files {
        for end in 0..file.len() {
            let _ = read_capture(&file[..end]);
        }
        for _ in 0..20_000 {
            let mut damaged = file.clone();
            for _ in 0..=random(6) {
                let at = random(damaged.len());
                damaged[at] = [0, 1, 0x7f, 0xff, random(256) as u8][random(5)];
            }
            let Ok(capture) = read_capture(&damaged) else { continue };
            read += capture.at_ns.len();
            for (start, length) in capture.start.iter().zip(&capture.length) {
                assert!((start + length) as usize <= damaged.len());
            }
        }
    }
    assert!(read > 10_000, "most damage leaves some packets");
}

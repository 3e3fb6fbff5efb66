"""The QPACK encoder and decoder of pylsqpack (ls-qpack, which aioquic uses). pylsqpack.test.ts runs this program.

Each line of standard input is a command, and each command is answered by one line of standard output. Bytes are
hexadecimal, and `-` means no bytes.

settings CAPACITY BLOCKED     applies the settings of a decoder to the encoder -> encoder stream
encode STREAM JSON            encodes a list of fields                         -> encoder stream, section
acknowledge BYTES             passes a decoder stream to the encoder           -> ok
decoder CAPACITY BLOCKED      makes a new decoder                              -> ok
entries BYTES                 passes an encoder stream to the decoder          -> the streams that are unblocked, or -
section STREAM BYTES          decodes a section                    -> decoder stream, JSON; or `blocked`; or an error
resume STREAM                 decodes a section that was blocked               -> decoder stream, JSON
"""

import json
import sys

import pylsqpack


def to_hex(data):
    return data.hex() or "-"


def from_hex(text):
    return b"" if text == "-" else bytes.fromhex(text)


def fields_of(headers):
    return json.dumps([[name.decode("latin1"), value.decode("latin1")] for name, value in headers])


encoder = pylsqpack.Encoder()
decoder = None
for line in sys.stdin:
    command, *words = line.rstrip("\n").split(" ", 2)
    try:
        if command == "settings":
            answer = to_hex(encoder.apply_settings(int(words[0]), int(words[1])))
        elif command == "encode":
            headers = [(name.encode("latin1"), value.encode("latin1")) for name, value in json.loads(words[1])]
            answer = " ".join(map(to_hex, encoder.encode(int(words[0]), headers)))
        elif command == "acknowledge":
            encoder.feed_decoder(from_hex(words[0]))
            answer = "ok"
        elif command == "decoder":
            decoder = pylsqpack.Decoder(int(words[0]), int(words[1]))
            answer = "ok"
        elif command == "entries":
            answer = " ".join(map(str, decoder.feed_encoder(from_hex(words[0])))) or "-"
        elif command == "section":
            control, headers = decoder.feed_header(int(words[0]), from_hex(words[1]))
            answer = f"{to_hex(control)} {fields_of(headers)}"
        else:
            control, headers = decoder.resume_header(int(words[0]))
            answer = f"{to_hex(control)} {fields_of(headers)}"
    except pylsqpack.StreamBlocked:
        answer = "blocked"
    except (pylsqpack.DecompressionFailed, pylsqpack.EncoderStreamError, pylsqpack.DecoderStreamError) as error:
        answer = f"error {type(error).__name__}"
    print(answer, flush=True)

"""One end of an HTTP/3 connection over UDP on loopback. It uses aioquic, a QUIC stack in Python.

aioquic.test.ts and serveH3ToAioquic.test.ts run it.

aioquic_peer.py certificate FOLDER          makes FOLDER/certificate.der, key.der, certificate.pem and key.pem
aioquic_peer.py server FOLDER PAGE          serves the files of the folder PAGE and prints `port N`
aioquic_peer.py client FOLDER PORT URL...   requests all URLs at once and prints `STATUS URL SHA-256` for each response
aioquic_peer.py pinned SHA-256 PORT URL...  like client, for a server whose certificate has this fingerprint
aioquic_peer.py pinned-until-closed SHA-256 PORT URL...
                                            like pinned, then waits until the server closes and prints `control HEX`:
                                            what has arrived on the server's control stream
"""

import asyncio
import datetime
import hashlib
import pathlib
import ssl
import sys

from aioquic.asyncio import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import QuicServer
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# This is small, so each response has several DATA frames, and the frames of several responses alternate.
PIECE_BYTES = 3000
# The first stream that a server opens (RFC 9000 §2.1); our server uses it as its control stream.
SERVER_CONTROL_STREAM = 3


def make_certificate(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    for suffix, encoding in [("der", serialization.Encoding.DER), ("pem", serialization.Encoding.PEM)]:
        (folder / f"certificate.{suffix}").write_bytes(certificate.public_bytes(encoding))
        private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (folder / f"key.{suffix}").write_bytes(private)


class Server(QuicConnectionProtocol):
    """Answers a GET with a file of the page's folder. It sends a piece of each response in rotation."""

    page = pathlib.Path()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.requests = {}
        self.bodies = {}

    def quic_event_received(self, event):
        for heard in self.http.handle_event(event):
            if isinstance(heard, HeadersReceived):
                self.requests[heard.stream_id] = dict(heard.headers)
            if heard.stream_ended:
                self.answer(heard.stream_id, self.requests.pop(heard.stream_id))
        self.send_pieces()
        self.transmit()

    def answer(self, stream, fields):
        path = self.page / (fields[b":path"].decode().lstrip("/") or "index.html")
        body = path.read_bytes() if path.is_file() else None
        status = b"404" if body is None else b"200"
        body = body or b""
        head = [(b":status", status), (b"server", b"aioquic"), (b"content-length", str(len(body)).encode())]
        self.http.send_headers(stream, head, end_stream=not body)
        if body:
            self.bodies[stream] = body

    def send_pieces(self):
        while self.bodies:
            for stream, body in list(self.bodies.items()):
                piece, rest = body[:PIECE_BYTES], body[PIECE_BYTES:]
                self.http.send_data(stream, piece, end_stream=not rest)
                self.bodies[stream] = rest
                if not rest:
                    del self.bodies[stream]


class Client(QuicConnectionProtocol):
    """Requests all URLs at once. `done` is set when all responses have arrived."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.responses = {}
        self.done = asyncio.get_running_loop().create_future()
        self.control = b""

    def ask(self, urls):
        for url in urls:
            stream = self._quic.get_next_available_stream_id()
            self.responses[stream] = [url, None, b""]
            fields = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", url)]
            fields.append(("user-agent", "aioquic"))
            head = [(name.encode(), value.encode()) for name, value in fields]
            self.http.send_headers(stream, head, end_stream=True)
        self.transmit()

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated) and not self.done.done():
            self.done.set_exception(ConnectionError(f"{event.error_code:#x}: {event.reason_phrase}"))
        if isinstance(event, StreamDataReceived) and event.stream_id == SERVER_CONTROL_STREAM:
            self.control += event.data
        for heard in self.http.handle_event(event):
            response = self.responses[heard.stream_id]
            if isinstance(heard, HeadersReceived):
                response[1] = dict(heard.headers)
            elif isinstance(heard, DataReceived):
                response[2] += heard.data
            if heard.stream_ended:
                self.report(*response)
                del self.responses[heard.stream_id]
                if not self.responses:
                    self.done.set_result(None)

    def report(self, url, fields, body):
        assert int(fields[b"content-length"]) == len(body), f"{url}: {fields}, {len(body)} bytes"
        print(fields[b":status"].decode(), url, hashlib.sha256(body).hexdigest(), flush=True)


async def serve(folder, page):
    configuration = QuicConfiguration(is_client=False, alpn_protocols=["h3"])
    configuration.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    Server.page = page
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: QuicServer(configuration=configuration, create_protocol=Server), local_addr=("127.0.0.1", 0)
    )
    print(f"port {transport.get_extra_info('sockname')[1]}", flush=True)
    await asyncio.sleep(100)


async def load(folder, port, urls):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=["h3"], server_name="localhost")
    configuration.load_verify_locations(str(folder / "certificate.pem"))
    async with connect("127.0.0.1", port, configuration=configuration, create_protocol=Client) as client:
        client.ask(urls)
        await asyncio.wait_for(client.done, 100)


async def load_pinned(fingerprint, port, urls, until_closed=False):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=["h3"], server_name="localhost")
    configuration.verify_mode = ssl.CERT_NONE
    async with connect("127.0.0.1", port, configuration=configuration, create_protocol=Client) as client:
        shown = client._quic.tls._peer_certificate.fingerprint(hashes.SHA256()).hex()
        assert shown == fingerprint, f"{shown} is not {fingerprint}"
        client.ask(urls)
        await asyncio.wait_for(client.done, 100)
        if until_closed:
            await asyncio.wait_for(client.wait_closed(), 100)
            print("control", client.control.hex(), flush=True)


def main(role, folder, *words):
    if role in ("pinned", "pinned-until-closed"):
        asyncio.run(load_pinned(folder, int(words[0]), words[1:], role != "pinned"))
        return
    folder = pathlib.Path(folder)
    if role == "certificate":
        make_certificate(folder)
    elif role == "server":
        asyncio.run(serve(folder, pathlib.Path(words[0])))
    else:
        asyncio.run(load(folder, int(words[0]), words[1:]))


main(*sys.argv[1:])

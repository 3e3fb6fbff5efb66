// A client of `interleave serve` that uses Debian's libusrsctp. It sends HTTP over the streams of an SCTP association,
// over UDP (RFC 6951).
//
//   usrsctp_get LOCAL_UDP_PORT REMOTE_UDP_PORT BYTES URL…
//
// It requests each URL on its own stream, beginning with stream 0. For each piece that arrives, it prints a line
// `STREAM SIZE` and then the SIZE bytes of the piece. It ends the association when BYTES bytes have arrived in total.

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

enum { LOCAL_PORT = 5000, HTTP_PORT = 80, BUFFER = 65536 };

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static void set(struct socket *socket, int option, const void *value, socklen_t size) {
	if (usrsctp_setsockopt(socket, IPPROTO_SCTP, option, value, size) < 0) fail("setsockopt");
}

static struct sockaddr_in loopback(uint16_t port) {
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

static struct socket *open_association(uint16_t remote_udp_port, uint16_t streams) {
	struct socket *socket = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	if (socket == NULL) fail("socket");
	struct sctp_initmsg init = {.sinit_num_ostreams = streams, .sinit_max_instreams = streams};
	struct sctp_udpencaps encapsulation = {.sue_port = htons(remote_udp_port)};
	struct sockaddr_in local = loopback(LOCAL_PORT), remote = loopback(HTTP_PORT);
	const int on = 1;
	set(socket, SCTP_INITMSG, &init, sizeof init);
	encapsulation.sue_address.ss_family = AF_INET;
	set(socket, SCTP_REMOTE_UDP_ENCAPS_PORT, &encapsulation, sizeof encapsulation);
	set(socket, SCTP_RECVRCVINFO, &on, sizeof on);
	set(socket, SCTP_NODELAY, &on, sizeof on);
	if (usrsctp_bind(socket, (struct sockaddr *)&local, sizeof local) < 0) fail("bind");
	if (usrsctp_connect(socket, (struct sockaddr *)&remote, sizeof remote) < 0) fail("connect");
	return socket;
}

static void ask(struct socket *socket, uint16_t stream, const char *url) {
	char request[BUFFER];
	int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: loopback\r\n\r\n", url);
	struct sctp_sndinfo info = {.snd_sid = stream};
	if (usrsctp_sendv(socket, request, (size_t)size, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0) fail("sendv");
}

static void print_pieces(struct socket *socket, long wanted) {
	static uint8_t buffer[BUFFER];
	while (wanted > 0) {
		struct sctp_rcvinfo info;
		socklen_t info_size = sizeof info;
		unsigned int type = 0;
		int flags = 0;
		ssize_t size = usrsctp_recvv(socket, buffer, sizeof buffer, NULL, NULL, &info, &info_size, &type, &flags);
		if (size <= 0 || type != SCTP_RECVV_RCVINFO) fail("recvv");
		printf("%u %zd\n", info.rcv_sid, size);
		fwrite(buffer, 1, (size_t)size, stdout);
		wanted -= size;
	}
	fflush(stdout);
}

int main(int argc, char **argv) {
	if (argc < 5) return fprintf(stderr, "usage: usrsctp_get LOCAL_UDP_PORT REMOTE_UDP_PORT BYTES URL...\n"), 2;
	int urls = argc - 4;
	usrsctp_init((uint16_t)atoi(argv[1]), NULL, NULL);
	struct socket *socket = open_association((uint16_t)atoi(argv[2]), (uint16_t)urls);
	for (int stream = 0; stream < urls; stream++) ask(socket, (uint16_t)stream, argv[4 + stream]);
	print_pieces(socket, atol(argv[3]));
	usrsctp_close(socket);
	for (int tries = 0; usrsctp_finish() != 0 && tries < 50; tries++) usleep(100000);
	return 0;
}

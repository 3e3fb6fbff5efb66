// One end of an SCTP association, over UDP (RFC 6951). It uses Debian's libusrsctp. It tests two cases that node-sctp
// cannot handle, because of the faults that nodeSctpPeer.ts describes: loss from the first packet on, and a shutdown
// that waits until all data is delivered.
//
//   usrsctp_peer client|server LOCAL_UDP_PORT REMOTE_UDP_PORT STREAMS MESSAGES closes|waits data|idata
//
// It sends MESSAGES messages on each stream and checks the messages that arrive. sctpMessages.ts defines the messages.
// With `closes` this end shuts the association down; with `waits` it waits until the other end does.

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

enum { SCTP_PORT = 5000, MOST_STREAMS = 64, LARGEST_MESSAGE = 4000 };

static const size_t sizes[] = {1, 100, 1400, 1440, 4000};

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static size_t fill(uint8_t *bytes, int stream, int number) {
	size_t size = sizes[(number + stream) % 5];
	for (size_t at = 0; at < size; at++) bytes[at] = (uint8_t)(at * 7 + number * 31 + stream * 101);
	return size;
}

static void set(struct socket *socket, int option, const void *value, socklen_t size) {
	if (usrsctp_setsockopt(socket, IPPROTO_SCTP, option, value, size) < 0) fail("setsockopt");
}

// usrsctp.h has no name for this option. The number is from FreeBSD's netinet/sctp.h.
enum { INTERLEAVING_SUPPORTED = 0x1206 };

// Offers I-DATA. The receiver must then accept pieces of messages of several streams in any order.
static void offer_idata(struct socket *socket) {
	const int all_streams = 2;
	const struct sctp_assoc_value on = {.assoc_id = SCTP_FUTURE_ASSOC, .assoc_value = 1};
	set(socket, SCTP_FRAGMENT_INTERLEAVE, &all_streams, sizeof all_streams);
	set(socket, INTERLEAVING_SUPPORTED, &on, sizeof on);
}

static struct socket *open_association(int is_client, uint16_t remote_udp_port, uint16_t streams, int is_idata) {
	struct socket *socket = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	if (socket == NULL) fail("socket");
	if (is_idata) offer_idata(socket);
	struct sctp_initmsg init = {.sinit_num_ostreams = streams, .sinit_max_instreams = streams};
	set(socket, SCTP_INITMSG, &init, sizeof init);
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(SCTP_PORT)};
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	struct sctp_udpencaps encapsulation = {.sue_port = htons(remote_udp_port)};
	memcpy(&encapsulation.sue_address, &address, sizeof address);
	const int on = 1;
	if (is_client) {
		encapsulation.sue_address.ss_family = AF_INET;
		set(socket, SCTP_REMOTE_UDP_ENCAPS_PORT, &encapsulation, sizeof encapsulation);
	}
	set(socket, SCTP_RECVRCVINFO, &on, sizeof on);
	set(socket, SCTP_NODELAY, &on, sizeof on);
	if (usrsctp_bind(socket, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
	if (is_client) {
		if (usrsctp_connect(socket, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
		return socket;
	}
	if (usrsctp_listen(socket, 1) < 0) fail("listen");
	struct socket *accepted = usrsctp_accept(socket, NULL, NULL);
	if (accepted == NULL) fail("accept");
	set(accepted, SCTP_RECVRCVINFO, &on, sizeof on);
	usrsctp_close(socket);
	return accepted;
}

static void send_all(struct socket *socket, int streams, int messages) {
	uint8_t bytes[LARGEST_MESSAGE];
	for (int number = 0; number < messages; number++) {
		for (int stream = 0; stream < streams; stream++) {
			struct sctp_sndinfo info = {.snd_sid = (uint16_t)stream};
			size_t size = fill(bytes, stream, number);
			if (usrsctp_sendv(socket, bytes, size, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0) fail("sendv");
		}
	}
}

// Receives messages until `wanted` messages have arrived or the association ends. Returns how many have arrived.
static int receive(struct socket *socket, int wanted) {
	uint8_t bytes[MOST_STREAMS][LARGEST_MESSAGE], expected[LARGEST_MESSAGE], buffer[LARGEST_MESSAGE];
	size_t sizes_so_far[MOST_STREAMS] = {0};
	int numbers[MOST_STREAMS] = {0}, count = 0;
	while (count < wanted) {
		struct sctp_rcvinfo info;
		socklen_t info_size = sizeof info;
		unsigned int type = 0;
		int flags = 0;
		ssize_t size = usrsctp_recvv(socket, buffer, sizeof buffer, NULL, NULL, &info, &info_size, &type, &flags);
		if (size <= 0 || type != SCTP_RECVV_RCVINFO || info.rcv_sid >= MOST_STREAMS) return count;
		int stream = info.rcv_sid;
		if (sizes_so_far[stream] + (size_t)size > LARGEST_MESSAGE) return count;
		memcpy(bytes[stream] + sizes_so_far[stream], buffer, (size_t)size);
		sizes_so_far[stream] += (size_t)size;
		if (!(flags & MSG_EOR)) continue;
		size_t wanted_size = fill(expected, stream, numbers[stream]);
		if (sizes_so_far[stream] != wanted_size || memcmp(bytes[stream], expected, wanted_size) != 0) {
			fprintf(stderr, "message %d of stream %d differs from the message that was sent\n", numbers[stream], stream);
			exit(1);
		}
		numbers[stream]++;
		sizes_so_far[stream] = 0;
		count++;
	}
	return count;
}

int main(int argc, char **argv) {
	if (argc != 8) return fprintf(stderr, "usage: usrsctp_peer client|server LOCAL_UDP_PORT REMOTE_UDP_PORT STREAMS MESSAGES closes|waits data|idata\n"), 2;
	int is_client = strcmp(argv[1], "client") == 0, streams = atoi(argv[4]), messages = atoi(argv[5]);
	usrsctp_init((uint16_t)atoi(argv[2]), NULL, NULL);
	usrsctp_sysctl_set_sctp_rto_initial_default(500);
	usrsctp_sysctl_set_sctp_rto_min_default(500);
	printf("ready\n");
	fflush(stdout);
	struct socket *socket = open_association(is_client, (uint16_t)atoi(argv[3]), (uint16_t)streams, strcmp(argv[7], "idata") == 0);
	send_all(socket, streams, messages);
	int count = receive(socket, streams * messages);
	if (strcmp(argv[6], "closes") == 0) usrsctp_shutdown(socket, SHUT_WR);
	receive(socket, 1); // until the association ends
	usrsctp_close(socket);
	printf("done: %d messages received\n", count);
	for (int tries = 0; usrsctp_finish() != 0 && tries < 50; tries++) usleep(100000);
	return count == streams * messages ? 0 : 1;
}

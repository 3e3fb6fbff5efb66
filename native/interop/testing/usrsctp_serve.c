// A server for one client that uses Debian's libusrsctp. It serves HTTP over the streams of an SCTP association, over
// UDP (RFC 6951).
//
//   usrsctp_serve UDP_PORT FOLDER URL…
//
// It answers a GET of URL number n (counted from 0) with the bytes of the file FOLDER/n, on the stream of the request.
// It prints the line `listens` when it accepts associations, and exits when the association ends.

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

enum { HTTP_PORT = 80, STREAMS = 64, BUFFER = 65536, MESSAGE = 1400 };

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static void set(struct socket *socket, int option, const void *value, socklen_t size) {
	if (usrsctp_setsockopt(socket, IPPROTO_SCTP, option, value, size) < 0) fail("setsockopt");
}

static struct socket *listening(void) {
	struct socket *socket = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	if (socket == NULL) fail("socket");
	struct sctp_initmsg init = {.sinit_num_ostreams = STREAMS, .sinit_max_instreams = STREAMS};
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(HTTP_PORT)};
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	set(socket, SCTP_INITMSG, &init, sizeof init);
	if (usrsctp_bind(socket, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
	if (usrsctp_listen(socket, 1) < 0) fail("listen");
	return socket;
}

static void answer(struct socket *socket, uint16_t stream, const char *folder, int number) {
	char name[4096];
	uint8_t bytes[MESSAGE];
	snprintf(name, sizeof name, "%s/%d", folder, number);
	FILE *file = fopen(name, "rb");
	if (file == NULL) fail(name);
	struct sctp_sndinfo info = {.snd_sid = stream};
	for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;) {
		if (usrsctp_sendv(socket, bytes, size, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0) fail("sendv");
	}
	fclose(file);
}

// Answers requests until the association ends. Each message is one request.
static void serve(struct socket *socket, const char *folder, char **urls, int count) {
	static char buffer[BUFFER];
	for (;;) {
		struct sctp_rcvinfo info;
		socklen_t info_size = sizeof info;
		unsigned int type = 0;
		int flags = 0;
		ssize_t size = usrsctp_recvv(socket, buffer, sizeof buffer - 1, NULL, NULL, &info, &info_size, &type, &flags);
		if (size <= 0 || type != SCTP_RECVV_RCVINFO) return;
		buffer[size] = 0;
		char *url = strncmp(buffer, "GET ", 4) == 0 ? strtok(buffer + 4, " ") : NULL;
		for (int number = 0; url != NULL && number < count; number++) {
			if (strcmp(url, urls[number]) == 0) answer(socket, info.rcv_sid, folder, number);
		}
	}
}

int main(int argc, char **argv) {
	if (argc < 4) return fprintf(stderr, "usage: usrsctp_serve UDP_PORT FOLDER URL...\n"), 2;
	const int on = 1;
	usrsctp_init((uint16_t)atoi(argv[1]), NULL, NULL);
	struct socket *listener = listening();
	printf("listens\n");
	fflush(stdout);
	struct socket *socket = usrsctp_accept(listener, NULL, NULL);
	if (socket == NULL) fail("accept");
	set(socket, SCTP_RECVRCVINFO, &on, sizeof on);
	set(socket, SCTP_NODELAY, &on, sizeof on);
	serve(socket, argv[2], argv + 3, argc - 3);
	usrsctp_close(socket);
	usrsctp_close(listener);
	for (int tries = 0; usrsctp_finish() != 0 && tries < 50; tries++) usleep(100000);
	return 0;
}

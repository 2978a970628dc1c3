/* The echo service on gSOAP, with credentials: a thread per connection. Prints its port, and exits when its input ends. */
#include "soapH.h"
#include "echo.nsmap"
#include <pthread.h>

int ns__ECHO(struct soap *soap, char *reference, int size, struct ns__line *line, struct ns__ECHOResponse *reply)
{
  if (!soap->userid || !soap->passwd || strcmp(soap->userid, "demo") || strcmp(soap->passwd, "demo"))
    return 401;
  reply->reference = reference;
  reply->__size = size;
  reply->line = line;
  return SOAP_OK;
}

static void *serve(void *connection)
{
  struct soap *soap = connection;
  pthread_detach(pthread_self());
  soap_serve(soap);
  soap_destroy(soap);
  soap_end(soap);
  soap_free(soap);
  return NULL;
}

static void *exit_with_input(void *unused)
{
  while (getchar() != EOF)
    ;
  exit(0);
}

int main(void)
{
  pthread_t thread;
  struct sockaddr_in address;
  socklen_t length = sizeof(address);
  struct soap *soap = soap_new2(SOAP_IO_KEEPALIVE | SOAP_XML_STRICT, SOAP_IO_KEEPALIVE);
  /* Without a limit of requests per connection. */
  soap->max_keep_alive = 0;
  if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", 0, 128)))
  {
    soap_print_fault(soap, stderr);
    return 1;
  }
  getsockname(soap->master, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  pthread_create(&thread, NULL, exit_with_input, NULL);
  while (soap_valid_socket(soap_accept(soap)))
    pthread_create(&thread, NULL, serve, soap_copy(soap));
  soap_print_fault(soap, stderr);
  return 1;
}

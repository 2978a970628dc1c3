// The echo service of the bench, for soapcpp2(1): document/literal, validated by the types below.
//gsoap ns service name: echo
//gsoap ns service style: document
//gsoap ns service encoding: literal
//gsoap ns service namespace: urn:signalbox:bench:Echo.v1
//gsoap ns schema namespace: urn:signalbox:bench:Echo.v1
//gsoap ns schema elementForm: qualified

typedef char *ns__text40 0 : 40;
typedef char *xsd__decimal "[+-]?[0-9]+(\\.[0-9]+)?";
typedef char *xsd__date "[0-9]{4}-[0-9]{2}-[0-9]{2}";

struct ns__line
{
  long long number 0;
  ns__text40 article 0;
  char *description 0;
  long long quantity 0;
  xsd__decimal price 0;
  xsd__date due 0;
};

struct ns__ECHOResponse
{
  ns__text40 reference 0;
  int __size;
  struct ns__line *line;
};

int ns__ECHO(ns__text40 reference, int __size, struct ns__line *line, struct ns__ECHOResponse *reply);

// Calls LOCATIONS_GET with the classes that gSOAP wrote from the WSDL: the argument is the address of the connector.
#include "LocationsSoap11Binding.nsmap"
#include "soapLocationsSoap11BindingProxy.h"
#include <iostream>

int main(int, char **arguments) {
  LocationsSoap11BindingProxy port(arguments[1]);
  port.soap->userid = "demo";
  port.soap->passwd = "demo";
  std::string region("N");
  ns1__LOCATIONS_USCOREGET_USCORESOAP_USCOREREQUEST request;
  request.REGION = region;
  ns1__LOC_USCORERESPONSE reply;
  if (port.LOCATIONS_USCOREGET(&request, reply) != SOAP_OK) {
    port.soap_stream_fault(std::cerr);
    return 1;
  }
  for (ns1__LOC_USCOREDTL_USCOREVW *location : reply.LOC_USCOREDATA->LOC_USCOREDTL_USCOREVW) std::cout << *location->LOCATION << "\n";
  return 0;
}

// Changes locations with a client that mono's wsdl wrote, and leaves whatever it does not change as C# has it.
// Arguments: the address of the connector, and the prefix of the locations.
using System;
using System.Net;
using System.Web.Services.Protocols;

class Change
{
    static string address;

    static void Main(string[] args)
    {
        address = args[0];
        var prefix = args[1];
        Make("demo", prefix + 1, "212/555-0199", null, null);
        Make("demo", prefix + 2, null, null, new[] {
            LOCATION_PATCH_SOAP_REQUESTClear.PHONE, LOCATION_PATCH_SOAP_REQUESTClear.FAX });
        Make("demo", prefix + 3, null, new DateTime(2027, 1, 2), null);
        try
        {
            Make("guest", prefix + 1, "0", null, null);
        }
        catch (SoapException fault)
        {
            Console.WriteLine("typed: " + fault.Detail.FirstChild["MESSAGE"].InnerText);
        }
    }

    static void Make(string user, string location, string phone, DateTime? day, LOCATION_PATCH_SOAP_REQUESTClear[] clear)
    {
        var service = new LocationSetupService {
            Url = address, Credentials = new NetworkCredential(user, user), PreAuthenticate = true };
        string region = "N", none = null, revision = null;
        var date = day ?? default(DateTime);
        var hasDate = day.HasValue;
        LOCATIONEFF_STATUS status;
        bool hasStatus;
        service.LOCATION_PATCH(ref region, ref location, ref none, ref none, ref none, ref none, ref none, ref none,
            ref phone, ref none, ref none, ref date, ref hasDate, default(LOCATION_PATCH_SOAP_REQUESTEFF_STATUS), false,
            ref none, ref revision, clear, out status, out hasStatus);
    }
}

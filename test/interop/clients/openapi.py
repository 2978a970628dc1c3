"""Sends a file by the client that openapi-generator writes for Python, takes it back, and prints the digest of both."""
import hashlib
import sys

sys.path[:0] = sys.argv[2:]
import files
import locations

with open(sys.argv[1], "rb") as file:
    content = file.read()
with files.ApiClient(files.Configuration(username="demo", password="demo")) as client:
    api = files.FilesV1Api(client)
    print("files.put=" + api.f_ileput("python.bin", content).sha256)
    print("files.get=" + hashlib.sha256(api.f_ileget("python.bin")).hexdigest())
with locations.ApiClient(locations.Configuration(username="demo", password="demo")) as client:
    reply = locations.LocationsV1Api(client).l_ocationsget("N").loc_response
    print("locations.first=" + reply.loc_data[0].location)

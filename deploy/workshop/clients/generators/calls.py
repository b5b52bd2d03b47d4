"""The same calls in each language of this folder. This one: openapi-python-client."""

import os

from whereabouts import AuthenticatedClient, Client
from whereabouts.api.assets import create_asset, delete_asset, list_assets, update_asset
from whereabouts.api.inventory import save_inventory
from whereabouts.api.locations import create_location, delete_location
from whereabouts.api.movements import list_movements
from whereabouts.api.reports import list_asset_locations
from whereabouts.api.tokens import create_token
from whereabouts.models import AssetAnswer, AssetCreate, AssetLocationPage, AssetPage, AssetPatch, InventorySave
from whereabouts.models import LocationAnswer, LocationCreate, Metadata, MovementPage
from whereabouts.models import TagCreate, TagCreateTagType, TokenPair, TokenRequest, TokenRequestGrantType

base, key = os.environ["BASE"], os.environ["KEY"]
agent = {"User-Agent": "generator-trial/1"}
credentials = TokenRequest(
    grant_type=TokenRequestGrantType.CLIENT_CREDENTIALS,
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
)
token = create_token.sync(client=Client(base, headers=agent), body=credentials)
assert isinstance(token, TokenPair), token
client = AuthenticatedClient(base, token=token.access_token, headers=agent)

body = AssetCreate(
    external_key=key,
    name="Generated",
    description="To be cleared",
    metadata=Metadata.from_dict({"maker": "Linde"}),
    tags=[TagCreate(tag_type=TagCreateTagType.RFID, value=key)],
)
created = create_asset.sync(client=client, body=body)
assert isinstance(created, AssetAnswer), created
asset_id = created.data.id
place = create_location.sync(client=client, body=LocationCreate(external_key=key, name="Generated"))
assert isinstance(place, LocationAnswer), place
try:
    page = list_assets.sync(client=client, external_key=[key])
    assert isinstance(page, AssetPage), page
    assert page.total_count == 1 and page.data[0].tags[0].value == key, page
    assert page.data[0].tags[0].epc is None, page
    cleared = update_asset.sync(asset_id, client=client, body=AssetPatch(description=None))
    assert isinstance(cleared, AssetAnswer), cleared
    assert cleared.data.description is None and cleared.data.metadata["maker"] == "Linde", cleared
    report = list_asset_locations.sync(client=client, limit=5)
    assert isinstance(report, AssetLocationPage) and len(report.data) <= 5, report
    save_inventory.sync_detailed(client=client, body=InventorySave(asset_identifiers=[key], location_identifier=key))
    movements = list_movements.sync(client=client, asset_id=[asset_id])
    assert isinstance(movements, MovementPage), movements
    assert movements.data[0].from_location is None, movements
    assert movements.data[0].to_location.id == place.data.id, movements
finally:
    delete_location.sync_detailed(place.data.id, client=client)
    delete_asset.sync_detailed(asset_id, client=client)
print("calls ok")

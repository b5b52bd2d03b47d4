"""The same five calls in each language of this folder. This one: openapi-python-client."""

import os

from whereabouts import AuthenticatedClient, Client
from whereabouts.api.assets import create_asset, delete_asset, list_assets, update_asset
from whereabouts.api.reports import list_asset_locations
from whereabouts.api.tokens import create_token
from whereabouts.models import AssetAnswer, AssetCreate, AssetLocationPage, AssetPage, AssetPatch, Metadata
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
try:
    page = list_assets.sync(client=client, external_key=[key])
    assert isinstance(page, AssetPage), page
    assert page.total_count == 1 and page.data[0].tags[0].value == key, page
    cleared = update_asset.sync(asset_id, client=client, body=AssetPatch(description=None))
    assert isinstance(cleared, AssetAnswer), cleared
    assert cleared.data.description is None and cleared.data.metadata["maker"] == "Linde", cleared
    report = list_asset_locations.sync(client=client, limit=5)
    assert isinstance(report, AssetLocationPage) and len(report.data) <= 5, report
finally:
    delete_asset.sync_detailed(asset_id, client=client)
print("calls ok")

"""The client of the Whereabouts API: assets, locations, tags, where they are and were."""

from .client import AsyncWhereabouts, Whereabouts
from .errors import ApiError, ConnectionFailed, TimedOut
from .types import Asset, AssetFields, AssetMovedEvent, Location, LocationFields
from .upsert import UpsertedAsset, UpsertedLocation
from .webhooks import WebhookEvent, WebhookVerificationError, is_asset_moved, verify_webhook, webhook_signature

__all__ = ["ApiError", "Asset", "AssetFields", "AssetMovedEvent", "AsyncWhereabouts", "Location", "LocationFields"]
__all__ += ["ConnectionFailed", "TimedOut", "UpsertedAsset", "UpsertedLocation", "WebhookEvent", "WebhookVerificationError", "Whereabouts"]
__all__ += ["is_asset_moved", "verify_webhook", "webhook_signature"]

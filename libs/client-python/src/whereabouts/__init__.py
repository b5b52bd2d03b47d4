"""The client of the Whereabouts API: assets, locations, tags, where they are and were."""

from .client import AsyncWhereabouts, Whereabouts
from .errors import ApiError, ConnectionFailed, TimedOut
from .events import CursorFile, CursorStore
from .exports import ExportFailed
from .sync import SyncReport, SyncResult
from .types import Asset, AssetBatchItem, AssetFields, AssetMovedEvent, Event, Location, LocationBatchItem, LocationFields
from .types import Export, ExportDetail, ExportFile
from .upsert import UpsertedAsset, UpsertedLocation
from .webhooks import WebhookEvent, WebhookVerificationError, is_asset_moved, standard_webhook_signature, verify_webhook, webhook_signature

__all__ = ["ApiError", "Asset", "AssetBatchItem", "AssetFields", "AssetMovedEvent", "AsyncWhereabouts", "Location", "LocationFields"]
__all__ += ["ConnectionFailed", "TimedOut", "UpsertedAsset", "UpsertedLocation", "WebhookEvent", "WebhookVerificationError", "Whereabouts"]
__all__ += ["CursorFile", "CursorStore", "Event", "is_asset_moved", "standard_webhook_signature", "verify_webhook", "webhook_signature"]
__all__ += ["LocationBatchItem", "SyncReport", "SyncResult", "Export", "ExportDetail", "ExportFailed", "ExportFile"]

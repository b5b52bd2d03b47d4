# Generated from the route table by "pnpm generate". Do not edit.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict


class _TokenRequestRequired(TypedDict):
    grant_type: Literal["client_credentials", "refresh_token"]


class TokenRequest(_TokenRequestRequired, total=False):
    client_id: str
    client_secret: str
    refresh_token: str
    scope: str


class _ApiKeyCreateRequired(TypedDict):
    name: str
    scopes: List[Literal["assets:read", "assets:write", "locations:read", "locations:write", "scans:read", "scans:write", "keys:admin", "webhooks:admin", "tracking:read", "events:read", "audit:read", "rules:read", "rules:write"]]


class ApiKeyCreate(_ApiKeyCreateRequired, total=False):
    expires_at: Optional[str]
    reader_key: Optional[str]


class AssetBatch(TypedDict):
    items: List[AssetBatchItem]


class _AssetBatchItemRequired(TypedDict):
    external_key: str


class AssetBatchItem(_AssetBatchItemRequired, total=False):
    name: str
    description: Optional[str]
    type: Literal["asset", "person", "inventory"]
    metadata: Metadata
    home_location_id: Optional[int]
    home_location_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    tags: Optional[List[TagCreate]]


class TagCreate(TypedDict):
    tag_type: Literal["rfid", "ble", "barcode"]
    value: str


class LocationBatch(TypedDict):
    items: List[LocationBatchItem]


class _LocationBatchItemRequired(TypedDict):
    external_key: str


class LocationBatchItem(_LocationBatchItemRequired, total=False):
    name: str
    description: Optional[str]
    parent_id: Optional[int]
    parent_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    tags: Optional[List[TagCreate]]


class _AssetCreateRequired(TypedDict):
    name: str


class AssetCreate(_AssetCreateRequired, total=False):
    external_key: str
    description: Optional[str]
    type: Literal["asset", "person", "inventory"]
    metadata: Metadata
    home_location_id: Optional[int]
    home_location_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    tags: Optional[List[TagCreate]]


class AssetPatch(TypedDict, total=False):
    id: int
    external_key: str
    name: str
    description: Optional[str]
    type: Literal["asset", "person", "inventory"]
    metadata: Metadata
    home_location_id: Optional[int]
    home_location_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    created_at: str
    updated_at: str
    deleted_at: Optional[str]
    tags: List[EchoedTag]


class EchoedTag(TypedDict, total=False):
    id: int
    tag_type: str
    value: str
    epc: Optional[Dict[str, Any]]


class Rename(TypedDict):
    external_key: str


class _LocationCreateRequired(TypedDict):
    name: str


class LocationCreate(_LocationCreateRequired, total=False):
    external_key: str
    description: Optional[str]
    parent_id: Optional[int]
    parent_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    tags: Optional[List[TagCreate]]


class LocationPatch(TypedDict, total=False):
    id: int
    external_key: str
    name: str
    description: Optional[str]
    parent_id: Optional[int]
    parent_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    created_at: str
    updated_at: str
    deleted_at: Optional[str]
    tags: List[EchoedTag]


class _ExportCreateRequired(TypedDict):
    dataset: Literal["history", "movements", "assets", "locations"]
    format: Literal["csv", "ndjson", "parquet"]


_ExportCreateOptional = TypedDict("_ExportCreateOptional", {"from": "str", "to": "str"}, total=False)


class ExportCreate(_ExportCreateRequired, _ExportCreateOptional):
    pass


class InventorySave(TypedDict):
    asset_identifiers: List[str]
    location_identifier: str


class _RuleCreateRequired(TypedDict):
    name: str
    kind: Literal["entered", "left", "not_seen_for", "stayed_longer_than", "missing_at", "away_from_home", "reader_silent"]


class RuleCreate(_RuleCreateRequired, total=False):
    enabled: bool
    severity: Literal["info", "warning", "critical"]
    scope: RuleScopeInput
    params: RuleParamsInput
    for_seconds: int
    schedule: Optional[RuleScheduleInput]
    notify: RuleNotifyInput


class RuleScopeInput(TypedDict, total=False):
    asset_ids: List[int]
    asset_types: List[Literal["asset", "person", "inventory"]]
    metadata: Metadata
    location_ids: List[int]
    include_descendants: bool
    reader_ids: List[int]


class RuleParamsInput(TypedDict, total=False):
    seconds: Optional[int]
    time: Optional[str]
    resolve_after_seconds: Optional[int]


RuleScheduleInput = TypedDict("RuleScheduleInput", {"days": "List[int]", "from": "str", "to": "str"})


class RuleNotifyInput(TypedDict, total=False):
    event: bool
    email: List[str]
    chat: List[RuleChatInput]
    remind_minutes: Optional[int]


class RuleChatInput(TypedDict):
    kind: Literal["slack", "teams", "google_chat", "generic"]
    url: str


class RuleUpdate(TypedDict, total=False):
    name: str
    kind: Literal["entered", "left", "not_seen_for", "stayed_longer_than", "missing_at", "away_from_home", "reader_silent"]
    enabled: bool
    severity: Literal["info", "warning", "critical"]
    scope: RuleScopeUpdate
    params: RuleParamsInput
    for_seconds: int
    schedule: Optional[RuleScheduleUpdate]
    notify: RuleNotifyInput


class RuleScopeUpdate(TypedDict, total=False):
    asset_ids: List[int]
    asset_types: List[Literal["asset", "person", "inventory"]]
    metadata: Metadata
    location_ids: List[int]
    include_descendants: bool
    reader_ids: List[int]


RuleScheduleUpdate = TypedDict("RuleScheduleUpdate", {"days": "List[int]", "from": "str", "to": "str"}, total=False)


class _RulePreviewRequestRequired(TypedDict):
    rule: RuleCreate


_RulePreviewRequestOptional = TypedDict("_RulePreviewRequestOptional", {"from": "str", "to": "str"}, total=False)


class RulePreviewRequest(_RulePreviewRequestRequired, _RulePreviewRequestOptional):
    pass


class WebhookFilterInput(TypedDict, total=False):
    asset_types: List[Literal["asset", "person", "inventory"]]
    location_ids: List[int]
    include_descendants: bool


_ReplayRequestRequired = TypedDict("_ReplayRequestRequired", {"from": "str"})


class ReplayRequest(_ReplayRequestRequired, total=False):
    to: str
    event_types: List[Literal["asset.moved", "asset.created", "asset.updated", "asset.deleted", "location.created", "location.updated", "location.deleted", "tag.attached", "tag.detached", "reader.silent", "reader.online", "alert.raised", "alert.resolved", "import.finished", "webhook.failing", "webhook.recovered", "webhook.disabled"]]


class AssetMovedData(TypedDict):
    asset: MovedAsset
    from_location: Optional[EventLocation]
    to_location: EventLocation


class MovedAsset(TypedDict):
    id: int
    external_key: str
    name: str


class EventLocation(TypedDict):
    id: int
    name: str


class AssetCreatedData(TypedDict):
    asset: Asset


class _AssetRequired(TypedDict):
    id: int
    external_key: str
    name: str
    description: Optional[str]
    type: str
    metadata: Metadata
    home_location_id: Optional[int]
    home_location_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    created_at: str
    updated_at: str
    deleted_at: Optional[str]
    tags: List[Tag]


class Asset(_AssetRequired, total=False):
    home_location: Optional[ExpandedThing]
    is_home: Optional[bool]


class _TagRequired(TypedDict):
    id: int
    tag_type: str
    value: str


class Tag(_TagRequired, total=False):
    epc: Optional[Epc]


class Epc(TypedDict):
    scheme: str
    uri: str
    pure_identity_uri: str
    company_prefix: str
    filter: Optional[int]
    serial: Optional[str]


class ExpandedThing(TypedDict):
    id: int
    external_key: str
    name: str


class AssetUpdatedData(TypedDict):
    asset: Asset
    changed: List[str]


class AssetDeletedData(TypedDict):
    asset: EventOwner


class EventOwner(TypedDict):
    id: int
    external_key: str
    name: str


class LocationCreatedData(TypedDict):
    location: Location


class Location(TypedDict):
    id: int
    external_key: str
    name: str
    description: Optional[str]
    parent_id: Optional[int]
    parent_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    created_at: str
    updated_at: str
    deleted_at: Optional[str]
    tags: List[Tag]


class LocationUpdatedData(TypedDict):
    location: Location
    changed: List[str]


class LocationDeletedData(TypedDict):
    location: EventOwner


class _TagAttachedDataRequired(TypedDict):
    tag: Tag


class TagAttachedData(_TagAttachedDataRequired, total=False):
    asset: EventOwner
    location: EventOwner


class _TagDetachedDataRequired(TypedDict):
    tag: Tag


class TagDetachedData(_TagDetachedDataRequired, total=False):
    asset: EventOwner
    location: EventOwner


class ReaderEventData(TypedDict):
    reader: EventReader
    last_seen: str


class EventReader(TypedDict):
    id: int
    reader_key: str
    name: str


class AlertEventData(TypedDict):
    alert: Alert


class Alert(TypedDict):
    id: int
    rule: AlertRule
    subject: AlertSubject
    location: Optional[AlertLocation]
    state: str
    note: Optional[str]
    raised_at: str
    acknowledged_at: Optional[str]
    acknowledged_by: Optional[AlertAcknowledger]
    resolved_at: Optional[str]
    resolved_because: Optional[str]


class AlertRule(TypedDict):
    id: int
    name: str
    kind: str
    severity: str


class _AlertSubjectRequired(TypedDict):
    type: str
    id: int
    name: str


class AlertSubject(_AlertSubjectRequired, total=False):
    external_key: str
    reader_key: str


class AlertLocation(TypedDict):
    id: int
    external_key: str
    name: str


class AlertAcknowledger(TypedDict):
    type: str
    id: Optional[int]
    name: Optional[str]


ImportFinishedData = TypedDict("ImportFinishedData", {"import": "Import"})


class Import(TypedDict):
    id: int
    resource: str
    dry_run: bool
    state: str
    rows_total: int
    rows_done: int
    created: int
    updated: int
    unchanged: int
    failed: int
    warned: int
    tags_removed: int
    encoding: str
    empty_cells: str
    first_names: List[str]
    applied_from: Optional[int]
    ignored_columns: List[str]
    created_by: Optional[int]
    created_at: str
    started_at: Optional[str]
    finished_at: Optional[str]


class TokenPair(TypedDict):
    access_token: str
    refresh_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    scope: str


class Error(TypedDict):
    error: ErrorDetails


class _FieldErrorRequired(TypedDict):
    field: str
    code: str
    message: str


class FieldError(_FieldErrorRequired, total=False):
    params: Dict[str, Any]


class ErrorConflict(TypedDict):
    resource: str
    id: int
    external_key: str


class CurrentOrganization(TypedDict):
    id: int
    name: str
    scopes: List[str]
    api_key_id: str


class ApiKey(TypedDict):
    id: int
    jti: str
    name: str
    scopes: List[str]
    reader_key: Optional[str]
    created_at: str
    created_by: Optional[int]
    created_by_key_id: Optional[int]
    expires_at: Optional[str]
    last_used_at: Optional[str]


class ApiKeyCreated(TypedDict):
    id: int
    jti: str
    client_id: str
    client_secret: str
    name: str
    scopes: List[str]
    reader_key: Optional[str]
    created_at: str
    expires_at: Optional[str]


class Limit(TypedDict):
    name: str
    limit: int
    used: int


class _AuditPageRequired(TypedDict):
    data: List[AuditRow]


class AuditPage(_AuditPageRequired, total=False):
    limit: int
    offset: int
    total_count: int
    cursor: str
    has_more: bool


class AuditRow(TypedDict):
    id: str
    at: str
    actor: AuditActor
    action: str
    subject: AuditSubject
    changes: Dict[str, Any]
    ip: Optional[str]
    request_id: Optional[str]


class AuditActor(TypedDict):
    type: str
    id: Optional[int]
    name: Optional[str]


class AuditSubject(TypedDict):
    type: str
    id: Optional[int]
    external_key: Optional[str]


class BatchResult(TypedDict):
    index: int
    status: str
    id: Optional[int]
    error: Optional[BatchItemError]


class _BatchItemErrorRequired(TypedDict):
    type: str
    detail: str


class BatchItemError(_BatchItemErrorRequired, total=False):
    fields: List[FieldError]
    conflict: ErrorConflict


class _HistoryRowRequired(TypedDict):
    event_observed_at: str
    location_id: Optional[int]
    location_external_key: Optional[str]
    duration_seconds: Optional[int]


class HistoryRow(_HistoryRowRequired, total=False):
    asset: Optional[ExpandedThing]
    location: Optional[ExpandedThing]


class _AssetLocationRequired(TypedDict):
    asset_id: int
    asset_external_key: str
    location_id: Optional[int]
    location_external_key: Optional[str]
    asset_deleted_at: Optional[str]
    asset_last_seen: str
    dwell_started_at: Optional[str]
    dwell_seconds: Optional[int]


class AssetLocation(_AssetLocationRequired, total=False):
    asset: Optional[ExpandedThing]
    location: Optional[ExpandedThing]
    home_location: Optional[ExpandedThing]
    is_home: Optional[bool]


class CurrentLocation(TypedDict):
    asset: str
    location: str
    last_seen: str


class UnsteadyAssetRow(TypedDict):
    asset: UnsteadyAsset
    reason: str
    locations: List[MovedThing]
    movements: int
    last_at: str
    setting: SuggestedSettings


class UnsteadyAsset(TypedDict):
    id: int
    external_key: str
    name: str


class MovedThing(TypedDict):
    id: int
    external_key: Optional[str]
    name: Optional[str]


class SuggestedSettings(TypedDict, total=False):
    passages: str
    tag_types: List[str]
    margin_db: int
    exit_delay_seconds: int
    min_rssi_dbm: Optional[int]


class MovementPage(TypedDict):
    data: List[Movement]
    cursor: Optional[str]
    has_more: bool


class Movement(TypedDict):
    occurred_at: str
    asset: MovedThing
    from_location: Optional[MovedThing]
    to_location: MovedThing
    dwell_seconds: Optional[int]


class VisitPage(TypedDict):
    data: List[Visit]
    cursor: Optional[str]
    has_more: bool


class Visit(TypedDict):
    asset: MovedThing
    location: MovedThing
    started_at: str
    ended_at: Optional[str]
    seconds: int
    last_seen_at: str
    ended_by: Optional[str]


class VisitReportRow(TypedDict):
    group: VisitGroup
    visits: int
    assets: int
    seconds_total: int
    seconds_median: int
    seconds_p95: int
    over_limit: Optional[int]


class VisitGroup(TypedDict):
    id: Optional[int]
    external_key: Optional[str]
    name: Optional[str]


Export = TypedDict("Export", {"id": "int", "dataset": "str", "format": "str", "from": "Optional[str]", "to": "Optional[str]", "status": "str", "progress": "float", "rows": "int", "bytes": "int", "problem": "Optional[str]", "created_at": "str", "finished_at": "Optional[str]", "expires_at": "Optional[str]"})


ExportDetail = TypedDict("ExportDetail", {"id": "int", "dataset": "str", "format": "str", "from": "Optional[str]", "to": "Optional[str]", "status": "str", "progress": "float", "rows": "int", "bytes": "int", "problem": "Optional[str]", "created_at": "str", "finished_at": "Optional[str]", "expires_at": "Optional[str]", "files": "List[ExportFile]"})


class ExportFile(TypedDict):
    name: str
    day: Optional[str]
    rows: int
    bytes: int
    sha256: str
    url: str


class InventorySaved(TypedDict):
    count: int
    location_id: int
    location_name: str
    timestamp: str


class Rule(TypedDict):
    id: int
    name: str
    kind: str
    enabled: bool
    severity: str
    scope: RuleScope
    params: RuleParams
    for_seconds: int
    schedule: Optional[RuleSchedule]
    notify: RuleNotify
    problem: Optional[str]
    open_alerts: int
    created_at: str
    updated_at: str


class RuleScope(TypedDict):
    asset_ids: List[int]
    asset_types: List[str]
    metadata: Metadata
    location_ids: List[int]
    include_descendants: bool
    reader_ids: List[int]


class RuleParams(TypedDict, total=False):
    seconds: int
    time: str
    resolve_after_seconds: int


RuleSchedule = TypedDict("RuleSchedule", {"days": "List[int]", "from": "str", "to": "str"})


class RuleNotify(TypedDict):
    event: bool
    email: List[str]
    chat: List[RuleChat]
    remind_minutes: Optional[int]


class RuleChat(TypedDict):
    kind: str
    url: str


class RuleTest(TypedDict):
    email: List[RuleTestMail]
    chat: List[RuleTestChat]


class RuleTestMail(TypedDict):
    to: str
    mail: str


class RuleTestChat(TypedDict):
    kind: str
    status_code: Optional[int]
    error: Optional[str]


class RulePreview(TypedDict):
    now: RulePreviewNow
    past: Optional[RulePreviewPast]


class RulePreviewNow(TypedDict):
    count: int
    subjects: List[AlertSubject]


class RulePreviewPast(TypedDict):
    count: int
    alerts: List[PreviewedAlert]


class PreviewedAlert(TypedDict):
    subject: AlertSubject
    location: Optional[AlertLocation]
    raised_at: str
    resolved_at: Optional[str]
    resolved_because: Optional[str]


class AcknowledgedAlerts(TypedDict):
    count: int


class DecodedMessage(TypedDict):
    reads: List[DecodedRead]
    problems: List[ReaderMessageProblem]


class _DecodedReadRequired(TypedDict):
    tag: ReadTag
    antenna: Optional[int]
    location_key: Optional[str]
    read_at: Optional[str]
    rssi: Optional[float]
    asset: Optional[ReadOwner]
    location: Optional[ReadOwner]
    outcome: str


class DecodedRead(_DecodedReadRequired, total=False):
    ibeacon: str


class ReadTag(TypedDict):
    tag_type: str
    value: str


class ReadOwner(TypedDict):
    id: int
    external_key: str
    name: str


class ReaderMessageProblem(TypedDict):
    pointer: str
    code: str
    detail: str


class ReaderMessage(TypedDict):
    id: int
    received_at: str
    via: str
    subject: str
    size: int
    head: str
    problems: List[ReaderMessageProblem]


class EventPage(TypedDict):
    data: List[Event]
    cursor: str
    has_more: bool


class Event(TypedDict):
    id: str
    type: str
    occurred_at: str
    recorded_at: str
    data: Dict[str, Any]


class Webhook(TypedDict):
    id: int
    url: str
    enabled: bool
    secret: str
    event_types: List[str]
    retry: str
    filter: Optional[WebhookFilter]
    primary: bool
    health: str
    disabled_because: Optional[str]
    created_at: str
    updated_at: str


class WebhookFilter(TypedDict):
    asset_types: List[str]
    location_ids: List[int]
    include_descendants: bool


class WebhookTest(TypedDict):
    status_code: Optional[int]
    error: Optional[str]


class WebhookDelivery(TypedDict):
    delivery_id: str
    attempt: int
    attempted_at: str
    outcome: str
    status_code: Optional[int]
    latency_ms: int
    error: Optional[str]
    test: bool


class Replay(TypedDict):
    count: int
    oldest_occurred_at: Optional[str]


class EndpointDeliveryPage(TypedDict):
    data: List[EndpointDelivery]
    cursor: Optional[str]
    has_more: bool


class EndpointDelivery(TypedDict):
    delivery_id: str
    type: str
    occurred_at: str
    state: str
    next_attempt_at: Optional[str]
    last: Optional[DeliveryAttempt]
    attempts: int


class DeliveryAttempt(TypedDict):
    at: str
    status_code: Optional[int]
    error: Optional[str]
    latency_ms: int


class EndpointDeliveryDetail(TypedDict):
    delivery_id: str
    type: str
    occurred_at: str
    state: str
    next_attempt_at: Optional[str]
    last: Optional[DeliveryAttempt]
    body: Optional[Dict[str, Any]]
    attempts: List[DeliveryAttempt]


class AssetMovedEvent(TypedDict):
    event: Literal["asset.moved"]
    delivery_id: str
    occurred_at: str
    data: AssetMovedData


class AssetCreatedEvent(TypedDict):
    event: Literal["asset.created"]
    delivery_id: str
    occurred_at: str
    data: AssetCreatedData


class AssetUpdatedEvent(TypedDict):
    event: Literal["asset.updated"]
    delivery_id: str
    occurred_at: str
    data: AssetUpdatedData


class AssetDeletedEvent(TypedDict):
    event: Literal["asset.deleted"]
    delivery_id: str
    occurred_at: str
    data: AssetDeletedData


class LocationCreatedEvent(TypedDict):
    event: Literal["location.created"]
    delivery_id: str
    occurred_at: str
    data: LocationCreatedData


class LocationUpdatedEvent(TypedDict):
    event: Literal["location.updated"]
    delivery_id: str
    occurred_at: str
    data: LocationUpdatedData


class LocationDeletedEvent(TypedDict):
    event: Literal["location.deleted"]
    delivery_id: str
    occurred_at: str
    data: LocationDeletedData


class TagAttachedEvent(TypedDict):
    event: Literal["tag.attached"]
    delivery_id: str
    occurred_at: str
    data: TagAttachedData


class TagDetachedEvent(TypedDict):
    event: Literal["tag.detached"]
    delivery_id: str
    occurred_at: str
    data: TagDetachedData


class ReaderSilentEvent(TypedDict):
    event: Literal["reader.silent"]
    delivery_id: str
    occurred_at: str
    data: ReaderEventData


class ReaderOnlineEvent(TypedDict):
    event: Literal["reader.online"]
    delivery_id: str
    occurred_at: str
    data: ReaderEventData


class AlertRaisedEvent(TypedDict):
    event: Literal["alert.raised"]
    delivery_id: str
    occurred_at: str
    data: AlertEventData


class AlertResolvedEvent(TypedDict):
    event: Literal["alert.resolved"]
    delivery_id: str
    occurred_at: str
    data: AlertEventData


class ImportFinishedEvent(TypedDict):
    event: Literal["import.finished"]
    delivery_id: str
    occurred_at: str
    data: ImportFinishedData


class CurrentOrganizationAnswer(TypedDict):
    data: CurrentOrganization


class ApiKeyPage(TypedDict):
    data: List[ApiKey]
    limit: int
    offset: int
    total_count: int


class ApiKeyCreatedAnswer(TypedDict):
    data: ApiKeyCreated


class LimitList(TypedDict):
    data: List[Limit]


class BatchResultList(TypedDict):
    data: List[BatchResult]


class AssetPage(TypedDict):
    data: List[Asset]
    limit: int
    offset: int
    total_count: int


class AssetAnswer(TypedDict):
    data: Asset


class AssetRenamed(TypedDict):
    data: Asset
    descendant_count_affected: int


class LocationPage(TypedDict):
    data: List[Location]
    limit: int
    offset: int
    total_count: int


class LocationAnswer(TypedDict):
    data: Location


class LocationRenamed(TypedDict):
    data: Location
    descendant_count_affected: int


class TagAnswer(TypedDict):
    data: Tag


class HistoryRowPage(TypedDict):
    data: List[HistoryRow]
    limit: int
    offset: int
    total_count: int


class AssetLocationPage(TypedDict):
    data: List[AssetLocation]
    limit: int
    offset: int
    total_count: int


class CurrentLocationPage(TypedDict):
    data: List[CurrentLocation]
    limit: int
    offset: int
    total_count: int


class UnsteadyAssetRowPage(TypedDict):
    data: List[UnsteadyAssetRow]
    limit: int
    offset: int
    total_count: int


class VisitReportRowPage(TypedDict):
    data: List[VisitReportRow]
    limit: int
    offset: int
    total_count: int


class ExportAnswer(TypedDict):
    data: Export


class ExportPage(TypedDict):
    data: List[Export]
    limit: int
    offset: int
    total_count: int


class ExportDetailAnswer(TypedDict):
    data: ExportDetail


class InventorySavedAnswer(TypedDict):
    data: InventorySaved


class RulePage(TypedDict):
    data: List[Rule]
    limit: int
    offset: int
    total_count: int


class RuleAnswer(TypedDict):
    data: Rule


class RuleTestAnswer(TypedDict):
    data: RuleTest


class RulePreviewAnswer(TypedDict):
    data: RulePreview


class AlertPage(TypedDict):
    data: List[Alert]
    limit: int
    offset: int
    total_count: int


class AlertAnswer(TypedDict):
    data: Alert


class AcknowledgedAlertsAnswer(TypedDict):
    data: AcknowledgedAlerts


class DecodedMessageAnswer(TypedDict):
    data: DecodedMessage


class ReaderMessageList(TypedDict):
    data: List[ReaderMessage]


class WebhookPage(TypedDict):
    data: List[Webhook]
    limit: int
    offset: int
    total_count: int


class WebhookAnswer(TypedDict):
    data: Webhook


class WebhookTestAnswer(TypedDict):
    data: WebhookTest


class WebhookDeliveryPage(TypedDict):
    data: List[WebhookDelivery]
    limit: int
    offset: int
    total_count: int


class ReplayAnswer(TypedDict):
    data: Replay


class EndpointDeliveryDetailAnswer(TypedDict):
    data: EndpointDeliveryDetail


Metadata = Dict[str, Any]


class ErrorCursor(TypedDict):
    oldest: str
    newest: str


class _ErrorDetailsRequired(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str


class ErrorDetails(_ErrorDetailsRequired, total=False):
    fields: List[FieldError]
    conflict: ErrorConflict
    cursor: ErrorCursor
    second_factor: bool
    count: int


class _AssetFieldsRequired(TypedDict):
    name: str


class AssetFields(_AssetFieldsRequired, total=False):
    description: Optional[str]
    type: Literal["asset", "person", "inventory"]
    metadata: Metadata
    home_location_id: Optional[int]
    home_location_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    tags: Optional[List[TagCreate]]


class _LocationFieldsRequired(TypedDict):
    name: str


class LocationFields(_LocationFieldsRequired, total=False):
    description: Optional[str]
    parent_id: Optional[int]
    parent_external_key: Optional[str]
    is_active: bool
    valid_from: str
    valid_to: Optional[str]
    tags: Optional[List[TagCreate]]

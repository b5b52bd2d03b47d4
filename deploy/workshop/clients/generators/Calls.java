import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AssetsApi;
import org.openapitools.client.api.InventoryApi;
import org.openapitools.client.api.LocationsApi;
import org.openapitools.client.api.MovementsApi;
import org.openapitools.client.api.ReportsApi;
import org.openapitools.client.api.TokensApi;
import org.openapitools.client.model.AssetCreate;
import org.openapitools.client.model.AssetPatch;
import org.openapitools.client.model.InventorySave;
import org.openapitools.client.model.LocationCreate;
import org.openapitools.client.model.TagCreate;
import org.openapitools.client.model.TokenRequest;

/** The same calls in each language of this folder. This one: openapi-generator, java with the library native. */
public class Calls {
  public static void main(String[] args) throws Exception {
    var key = System.getenv("KEY");
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE"));
    var agent = Map.of("User-Agent", "generator-trial/1");
    var credentials =
        new TokenRequest()
            .grantType(TokenRequest.GrantTypeEnum.CLIENT_CREDENTIALS)
            .clientId(System.getenv("CLIENT_ID"))
            .clientSecret(System.getenv("CLIENT_SECRET"));
    var token = new TokensApi(client).createToken(credentials, null, agent);
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + token.getAccessToken()).header("User-Agent", "generator-trial/1"));

    var assets = new AssetsApi(client);
    var body =
        new AssetCreate()
            .externalKey(key)
            .name("Generated")
            .description("To be cleared")
            .metadata(Map.of("maker", "Linde"))
            .tags(List.of(new TagCreate().tagType(TagCreate.TagTypeEnum.RFID).value(key)));
    var id = assets.createAsset(body, null).getData().getId();
    var locations = new LocationsApi(client);
    var place = locations.createLocation(new LocationCreate().externalKey(key).name("Generated"), null).getData().getId();
    try {
      var page = assets.listAssets(AssetsApi.APIListAssetsRequest.newBuilder().externalKey(List.of(key)).build());
      check(page.getTotalCount() == 1 && page.getData().get(0).getTags().get(0).getValue().equals(key), page);
      check(page.getData().get(0).getTags().get(0).getEpc() == null, page);
      var cleared = assets.updateAsset(id, new AssetPatch().description(null), null).getData();
      check(cleared.getDescription() == null && "Linde".equals(cleared.getMetadata().get("maker")), cleared);
      var report = new ReportsApi(client).listAssetLocations(ReportsApi.APIListAssetLocationsRequest.newBuilder().limit(5).build());
      check(report.getData().size() <= 5, report);
      new InventoryApi(client).saveInventory(new InventorySave().assetIdentifiers(List.of(key)).locationIdentifier(key), null);
      var movements = new MovementsApi(client).listMovements(MovementsApi.APIListMovementsRequest.newBuilder().assetId(List.of(id)).build());
      var first = movements.getData().get(0);
      check(first.getFromLocation() == null && first.getToLocation().getId().equals(place), first);
    } finally {
      locations.deleteLocation(place, null);
      assets.deleteAsset(id, null);
    }
    System.out.println("calls ok");
  }

  private static void check(boolean holds, Object found) {
    if (!holds) throw new IllegalStateException(String.valueOf(found));
  }
}

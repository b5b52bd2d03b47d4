// The same calls in each language of this folder. This one: oapi-codegen.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.org/trial/api"
	"github.com/oapi-codegen/nullable"
)

func must[T any](value *T, err error, body []byte) *T {
	if err != nil || value == nil {
		panic(fmt.Sprint(err, string(body)))
	}
	return value
}

func pointer[T any](value T) *T { return &value }

func main() {
	ctx, key := context.Background(), os.Getenv("KEY")
	bearer := ""
	client, err := api.NewClientWithResponses(os.Getenv("BASE"),
		api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("User-Agent", "generator-trial/1")
			if bearer != "" {
				request.Header.Set("Authorization", "Bearer "+bearer)
			}
			return nil
		}))
	must(client, err, nil)

	token, err := client.CreateTokenWithResponse(ctx, nil, api.TokenRequest{
		GrantType:    "client_credentials",
		ClientId:     pointer(os.Getenv("CLIENT_ID")),
		ClientSecret: pointer(os.Getenv("CLIENT_SECRET")),
	})
	must(token, err, nil)
	bearer = must(token.JSON200, err, token.Body).AccessToken

	created, err := client.CreateAssetWithResponse(ctx, nil, api.AssetCreate{
		ExternalKey: &key,
		Name:        "Generated",
		Description: nullable.NewNullableWithValue("To be cleared"),
		Metadata:    &api.Metadata{"maker": "Linde"},
		Tags:        nullable.NewNullableWithValue([]api.TagCreate{{TagType: "rfid", Value: key}}),
	})
	must(created, err, nil)
	id := must(created.JSON201, err, created.Body).Data.Id
	defer client.DeleteAssetWithResponse(ctx, id, nil)
	located, err := client.CreateLocationWithResponse(ctx, nil, api.LocationCreate{ExternalKey: &key, Name: "Generated"})
	must(located, err, nil)
	place := must(located.JSON201, err, located.Body).Data.Id
	defer client.DeleteLocationWithResponse(ctx, place, nil)

	listed, err := client.ListAssetsWithResponse(ctx, &api.ListAssetsParams{ExternalKey: &[]string{key}})
	must(listed, err, nil)
	page := must(listed.JSON200, err, listed.Body)
	if page.TotalCount != 1 || page.Data[0].Tags[0].Value != key || !page.Data[0].Tags[0].Epc.IsNull() {
		panic(page)
	}

	updated, err := client.UpdateAssetWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, id, nil,
		api.AssetPatch{Description: nullable.NewNullNullable[string]()})
	must(updated, err, nil)
	asset := must(updated.JSON200, err, updated.Body).Data
	if !asset.Description.IsNull() || asset.Metadata["maker"] != "Linde" {
		panic(asset)
	}

	report, err := client.ListAssetLocationsWithResponse(ctx, &api.ListAssetLocationsParams{Limit: pointer(5)})
	must(report, err, nil)
	if len(must(report.JSON200, err, report.Body).Data) > 5 {
		panic("not a page")
	}

	saved, err := client.SaveInventoryWithResponse(ctx, nil,
		api.InventorySave{AssetIdentifiers: []string{key}, LocationIdentifier: key})
	must(saved, err, nil)
	must(saved.JSON201, err, saved.Body)
	moved, err := client.ListMovementsWithResponse(ctx, &api.ListMovementsParams{AssetId: &[]int64{id}})
	must(moved, err, nil)
	first := must(moved.JSON200, err, moved.Body).Data[0]
	if !first.FromLocation.IsNull() || first.ToLocation.Id != place {
		panic(first)
	}
	fmt.Println("calls ok")
}

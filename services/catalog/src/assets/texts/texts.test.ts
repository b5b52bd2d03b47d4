import { assetFields } from '@whereabouts/contracts/resources/catalog/assets'
import { encodeHex, epcSchemes } from '@whereabouts/contracts/resources/catalog/epc'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { namesWith } from '@whereabouts/contracts/rules/fields'
import { expect, test } from 'vitest'
import type { AssetWithHome } from '../../db.ts'
import type { Tagged } from '../../tags/live-tags.ts'
import { TEXT_VERSION, textOf } from './texts.ts'

/** With each column, and a tag of each type and of each scheme of EPC. */
function everything(): Tagged<AssetWithHome> {
  const columns = namesWith(assetFields, 'view').map((name) => [name, `the ${name}`])
  const values = epcSchemes.map((scheme) =>
    encodeHex({
      scheme,
      filter: 1,
      company: '0614141',
      reference: scheme === 'giai-96' ? '5678' : '012345',
      serial: '0',
    }),
  )
  const epcs = values.map((value, id) => ({
    id,
    tag_type: 'rfid' as const,
    value: value ?? `no ${epcSchemes[id]}`,
  }))
  const others = tagTypes.map((tag_type) => ({ id: 9, tag_type, value: 'other' }))
  return { ...Object.fromEntries(columns), tags: [...epcs, ...others] }
}

test('what the API says about an asset has not changed without another version of the texts', () => {
  const said = { version: TEXT_VERSION, text: textOf(everything()) }
  expect(said, 'Raise TEXT_VERSION, then update this snapshot').toMatchInlineSnapshot(`
    {
      "text": "{"id":"the id","external_key":"the external_key","name":"the name","description":"the description","type":"the type","metadata":"the metadata","home_location_id":"the home_location_id","home_location_external_key":"the home_location_external_key","is_active":"the is_active","valid_from":"the valid_from","valid_to":"the valid_to","created_at":"the created_at","updated_at":"the updated_at","deleted_at":"the deleted_at","tags":[{"id":0,"tag_type":"rfid","value":"3034257BF40C0E4000000000","epc":{"scheme":"sgtin-96","uri":"urn:epc:tag:sgtin-96:1.0614141.012345.0","pure_identity_uri":"urn:epc:id:sgtin:0614141.012345.0","company_prefix":"0614141","filter":1,"serial":"0"}},{"id":1,"tag_type":"rfid","value":"3134257BF400003039000000","epc":{"scheme":"sscc-96","uri":"urn:epc:tag:sscc-96:1.0614141.0000012345","pure_identity_uri":"urn:epc:id:sscc:0614141.0000012345","company_prefix":"0614141","filter":1,"serial":null}},{"id":2,"tag_type":"rfid","value":"3234257BF460720000000000","epc":{"scheme":"sgln-96","uri":"urn:epc:tag:sgln-96:1.0614141.12345.0","pure_identity_uri":"urn:epc:id:sgln:0614141.12345.0","company_prefix":"0614141","filter":1,"serial":"0"}},{"id":3,"tag_type":"rfid","value":"3334257BF40C0E4000000000","epc":{"scheme":"grai-96","uri":"urn:epc:tag:grai-96:1.0614141.12345.0","pure_identity_uri":"urn:epc:id:grai:0614141.12345.0","company_prefix":"0614141","filter":1,"serial":"0"}},{"id":4,"tag_type":"rfid","value":"3434257BF40000000000162E","epc":{"scheme":"giai-96","uri":"urn:epc:tag:giai-96:1.0614141.5678","pure_identity_uri":"urn:epc:id:giai:0614141.5678","company_prefix":"0614141","filter":1,"serial":null}},{"id":9,"tag_type":"rfid","value":"other","epc":null},{"id":9,"tag_type":"ble","value":"other"},{"id":9,"tag_type":"barcode","value":"other"}]}",
      "version": 2,
    }
  `)
})

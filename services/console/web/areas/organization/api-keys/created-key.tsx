import { Modal, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { CopyField } from '../../../parts/form/copy-field.tsx'
import { SecretOnce } from '../../../parts/form/secret-once.tsx'

type Props = { apiKey: components['schemas']['ApiKeyCreated']; onStored: () => void }

/** Shows the secret once, with the request that exchanges it for a token. */
export function CreatedKey({ apiKey, onStored }: Props) {
  const { name, client_id: id, client_secret: secret } = apiKey
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={`API key ${name}`}
      size="lg"
    >
      <SecretOnce
        secrets={[
          { label: 'Client ID', value: id },
          { label: 'Client secret', value: secret },
        ]}
        onStored={onStored}
      >
        <CopyField
          label="Get an access token"
          value={tokenRequest(location.origin, id, secret)}
          description="Run this in a shell. The access token is valid for 15 minutes."
          isSecret
        />
        <Text size="sm">
          Readers log in to the broker with the client ID as user name and the client secret as password.
        </Text>
      </SecretOnce>
    </Modal>
  )
}

/** Needs no quoting: the parts of a key have only letters, digits, `-` and `_`. */
const tokenRequest = (base: string, id: string, secret: string) =>
  `curl -s ${base}/api/v1/oauth/token -d grant_type=client_credentials -d client_id=${id} -d client_secret=${secret}`

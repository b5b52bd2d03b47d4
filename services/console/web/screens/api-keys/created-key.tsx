import { Modal, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { CopyField } from '../../parts/copy-field.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'

type Props = { apiKey: components['schemas']['ApiKeyCreated']; onStored: () => void }

/** The only time the secret is shown, with the request that exchanges it for a token. */
export function CreatedKey({ apiKey, onStored }: Props) {
  const { name, client_id: id, client_secret: secret } = apiKey
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={`The key ${name}`}
      size="lg"
    >
      <SecretOnce
        secrets={[
          { label: 'Client id', value: id },
          { label: 'Client secret', value: secret },
        ]}
        onStored={onStored}
      >
        <CopyField
          label="Exchange it for a token"
          value={tokenRequest(location.origin, id, secret)}
          description="For a shell. The access token is good for 15 minutes."
          isSecret
        />
        <Text size="sm">
          Readers log in at the broker with the client id as user name and the client secret as password.
        </Text>
      </SecretOnce>
    </Modal>
  )
}

/** Neither part of a key holds a character that a shell or an encoding would change. */
const tokenRequest = (base: string, id: string, secret: string) =>
  `curl -s ${base}/api/v1/oauth/token -d grant_type=client_credentials -d client_id=${id} -d client_secret=${secret}`

import { Address } from './code';

/**
 * An endpoint: its description, if it has one, and below it the end of its URL, because endpoints of one service differ
 * there. The whole of both is in the title.
 */
export function EndpointName({ url, description }: { url: string; description?: string | null | undefined }) {
  return (
    <span class="endpoint-name" title={description ? `${description}\n${url}` : url}>
      {description && <span class="described">{description}</span>}
      <span class={description ? 'hint url-end' : 'url-end'}>
        <bdi dir="ltr">
          <Address url={url.replace(/^https?:\/\//, '')} />
        </bdi>
      </span>
    </span>
  );
}

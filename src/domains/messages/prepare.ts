import { platformOf, type OutgoingMessage } from '../bots';
import type { Channel } from '../../base/contract/common';
import { outgoing } from './buttons';
import type { MessageContent } from './contract';

/** A message that is ready for any number of recipients. */
export interface PreparedMessage {
  /** How many calls of the platform each recipient takes. */
  calls(channel: Channel): number;
  to(channel: Channel, messageId: string): OutgoingMessage;
}

/**
 * The text is converted once for each channel, on its first recipient. `id` is that of the request or broadcast; it
 * identifies media without facts.
 */
export function prepareMessage(
  content: MessageContent,
  { projectId, id }: { projectId: string; id: string },
): PreparedMessage {
  const media = content.media && { media: { key: id, ...content.media, owner: projectId } };
  const converted = new Map<Channel, string | undefined>();
  function convertedFor(channel: Channel): string | undefined {
    if (!converted.has(channel)) converted.set(channel, platformOf(channel).convertText(content));
    return converted.get(channel);
  }
  return {
    calls: (channel) => platformOf(channel).callsOf({ text: content.text, ...media }),
    to(channel, messageId) {
      const text = convertedFor(channel);
      return {
        ...outgoing(content, messageId),
        ...(text !== undefined && { converted: text }),
        ...media,
      };
    },
  };
}

import { MarkupError, type Formatted } from './formatted';
import { HtmlRules, parseHtml } from './markup-html';
import { parseMarkdown, parseMarkdownV2 } from './markup-markdown';
import { parseMaxMarkdown } from './markup-markdown-max';

/** Formats a text as Telegram does; throws MarkupError as strictly as the real service. */
export function parseTelegramText(text: string, parseMode: string | null): Formatted {
  switch (parseMode?.toLowerCase() ?? '') {
    case '':
      return trimmed({ text, entities: [] });
    case 'html':
      return trimmed(parseHtml(text, HtmlRules.telegram));
    case 'markdownv2':
      return trimmed(parseMarkdownV2(text));
    case 'markdown':
      return trimmed(parseMarkdown(text));
    default:
      throw new MarkupError('unsupported parse_mode');
  }
}

/** Formats a text as MAX does: invalid markup is shown as text. */
export function parseMaxText(text: string, format: string | null): Formatted {
  if (format === 'html') return parseHtml(text, HtmlRules.max);
  if (format === 'markdown') return parseMaxMarkdown(text);
  return { text, entities: [] };
}

function trimmed({ text, entities }: Formatted): Formatted {
  const start = text.length - text.trimStart().length;
  const result = text.trim();
  const kept = entities
    .map((entity) => {
      const from = Math.max(entity.offset - start, 0);
      const to = Math.min(entity.offset + entity.length - start, result.length);
      return { ...entity, offset: from, length: to - from };
    })
    .filter((entity) => entity.length > 0)
    .sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text: result, entities: kept };
}

import { KEY_VARIABLE, type SampleRequest } from './request';

export function goSample({ method, url, needsKey, headers, body, text }: SampleRequest): string {
  const sentText = text ?? (body === undefined ? undefined : JSON.stringify(body, null, 2));
  const imports = [
    ...['fmt', 'io', 'net/http'],
    ...(needsKey ? ['os'] : []),
    ...(sentText === undefined ? [] : ['strings']),
  ];
  const sent = [
    ...(needsKey ? [`req.Header.Set("Authorization", "Bearer "+os.Getenv("${KEY_VARIABLE}"))`] : []),
    ...Object.entries(headers).map(
      ([name, value]) => `req.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    ...(body === undefined ? [] : ['req.Header.Set("Content-Type", "application/json")']),
  ];
  const lines = [
    ...(sentText === undefined ? [] : [`body := strings.NewReader(${raw(sentText)})`]),
    `req, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${sentText === undefined ? 'nil' : 'body'})`,
    'if err != nil {',
    '\tpanic(err)',
    '}',
    ...sent,
    'res, err := http.DefaultClient.Do(req)',
    'if err != nil {',
    '\tpanic(err)',
    '}',
    'defer res.Body.Close()',
    'data, _ := io.ReadAll(res.Body)',
    'fmt.Println(res.Status, string(data))',
  ];
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...lines.map((line) => `\t${line}`),
    '}',
  ].join('\n');
}

/** A raw string of Go cannot contain a backtick. */
function raw(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}

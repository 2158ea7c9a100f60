/**
 * Whom an address stands for when attempts are counted: itself, or for IPv6 its /64 network, which is the least that a
 * connection is given (RFC 6177): counted singly, its 2^64 addresses would make no limit at all.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  // An IPv4 address in IPv6's clothes (RFC 4291, section 2.5.5.2).
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  // `::` stands for as many zeros as are missing.
  while (tail !== undefined && groups.length + last.length < 8) groups.push('0')
  const network = [...groups, ...last].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}

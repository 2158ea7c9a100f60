/** The compiler writes the stylesheet under a hashed name and gives its address. */
declare module '*.css' {
  const href: string
  export default href
}

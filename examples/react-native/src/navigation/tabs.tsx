import { createBottomTabNavigator } from '@react-navigation/bottom-tabs'
import { useSafeAreaInsets } from 'react-native-safe-area-context'
import { useForeground } from '../companion/use-foreground'
import { useFollowOutbox } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import { CalendarScreen } from '../screens/calendar'
import { ReportScreen } from '../screens/report'
import { SettingsScreen } from '../screens/settings'
import { TodayScreen } from '../screens/today'
import { TrendsScreen } from '../screens/trends'
import { usePalette } from '../theme/use-palette'
import { Icon } from '../ui/icon'
import type { IconName } from '../ui/icon'

const Tab = createBottomTabNavigator()

const iconed = (name: IconName) => ({
  tabBarIcon: ({ color }: { color: string }) => <Icon name={name} color={color} />,
})

const icons = {
  today: iconed('today'),
  trends: iconed('trends'),
  calendar: iconed('calendar'),
  report: iconed('report'),
  settings: iconed('settings'),
}

export function Tabs() {
  const { t } = useLanguage()
  const palette = usePalette()
  const insets = useSafeAreaInsets()
  useFollowOutbox()
  useForeground()
  return (
    <Tab.Navigator
      screenOptions={{
        headerShown: false,
        tabBarActiveTintColor: palette.accent,
        tabBarInactiveTintColor: palette.muted,
        tabBarLabelStyle: { fontSize: 11, fontWeight: '500' },
        tabBarStyle: {
          height: 58 + insets.bottom,
          paddingTop: 5,
          backgroundColor: palette.surface,
          borderTopColor: palette.line,
        },
      }}
    >
      <Tab.Screen name="Today" component={TodayScreen} options={{ title: t.tabs.today, ...icons.today }} />
      <Tab.Screen
        name="Trends"
        component={TrendsScreen}
        options={{ title: t.tabs.trends, ...icons.trends }}
      />
      <Tab.Screen
        name="Calendar"
        component={CalendarScreen}
        options={{ title: t.tabs.calendar, ...icons.calendar }}
      />
      <Tab.Screen
        name="Report"
        component={ReportScreen}
        options={{ title: t.tabs.report, ...icons.report }}
      />
      <Tab.Screen
        name="Settings"
        component={SettingsScreen}
        options={{ title: t.tabs.settings, ...icons.settings }}
      />
    </Tab.Navigator>
  )
}
